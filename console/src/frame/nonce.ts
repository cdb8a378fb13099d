import { setNonce } from 'get-nonce';

/** The word by which the server allows the style elements of the libraries; it is new in each answer. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '';

setNonce(nonce); // of the part that stops the page behind a dialog from scrolling
