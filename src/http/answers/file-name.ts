/** The characters that no system takes in the name of a file, or that a header cannot have. */
const NOT_IN_NAMES = /[\p{Cc}"*/:<>?\\|]+/gu;
const NOT_IN_VALUES = /['()*!]/g;

/**
 * The `Content-Disposition` of a file that a browser shows, named by a number such as `ACME/2026-000025`: in ASCII, and
 * in UTF-8 where that differs (RFC 6266, RFC 8187).
 */
export function inlineFile(number: string, extension: 'pdf' | 'xml'): string {
  const name = `${
    number
      .toWellFormed()
      .replace(NOT_IN_NAMES, '-')
      .replace(/^[-. ]+/, '') || 'document'
  }.${extension}`;
  const plain = name.replace(/[^\x20-\x7e]+/g, '-');
  const encoded = encodeURIComponent(name).replace(
    NOT_IN_VALUES,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `inline; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
