/** Preloaded into a program under test: for it, everything happens `LATER_DAYS` days from now. */
const later = Number(process.env.LATER_DAYS) * 86_400_000;
const Present = Date;
globalThis.Date = class extends Present {
  constructor(...fields) {
    if (fields.length === 0) super(Present.now() + later);
    else super(...fields);
  }

  static now() {
    return Present.now() + later;
  }
};
const present = Temporal.Now.instant.bind(Temporal.Now);
Temporal.Now.instant = () => present().add({ milliseconds: later });
