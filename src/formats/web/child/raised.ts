/** Superscripts and subscripts as text: where they would be read as something else, they are marked. */

/** Superscripts that are not exponents: notes, ordinals, trademark signs. */
const NO_POWER = /^(?:\W*\[.*|[*†‡§,]+|st|nd|rd|th|[er]+|TM|SM|®|™)$/i;

/** A superscript: `10<sup>6</sup>` becomes `10^6`, not 106. */
export function raised(text: string): string {
  const power = text.trim();
  if (power === '' || NO_POWER.test(power)) return text;
  const end = /\s*$/.exec(text)?.[0] ?? '';
  return (/^(?:[-+−]?[\p{L}\d]+|\([^()]*\))$/u.test(power) ? `^${power}` : `^(${power})`) + end;
}

/** A subscript: `1010<sub>2</sub>` becomes `1010_2`, not 10102; `H<sub>2</sub>O` stays H2O. */
export function lowered(text: string, before: string): string {
  return /\d$/.test(before) && /^\d/.test(text) ? `_${text}` : text;
}
