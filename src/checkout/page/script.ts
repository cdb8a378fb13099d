/**
 * A sent form gives the page the address at which its input is shown again: "back" leads there. While a tax number is
 * typed, the script asks whether it is right, and writes the answer where the button would.
 */
export const SIGNUP_SCRIPT = `
(() => {
  const form = document.querySelector('form[novalidate]');
  if (!form) return;
  form.addEventListener('submit', () => {
    history.replaceState(null, '', form.action + '?form=' + encodeURIComponent(form.elements.form.value));
  });
  const said = document.getElementById('taxId-check');
  if (!said) return;
  let latest = 0;
  const look = async () => {
    const number = ++latest;
    const body = new URLSearchParams({ country: form.country.value, taxId: form.taxId.value });
    try {
      const answer = await fetch(form.action + '/taxId', { method: 'POST', body });
      const text = answer.ok ? await answer.text() : '';
      if (number === latest) said.textContent = text;
    } catch { /* The button is there. */ }
  };
  form.taxId.addEventListener('change', look);
  form.country.addEventListener('change', look);
})();
`;
