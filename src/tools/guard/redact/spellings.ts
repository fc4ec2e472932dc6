/** The usual ways in which programs write a text, the text itself among them. Each is at least 4 characters long. */
export function spellingsOf(text: string): readonly string[] {
  const forms = new Set([text, text.normalize('NFC'), text.normalize('NFD')]);
  const spellings = [...forms].flatMap((form) => [
    form,
    ...inJson(form),
    ...inUrls(form),
    ...inHtml(form),
    ...inShells(form),
    hexOf(form),
    hexOf(form).toUpperCase(),
    ...inBase64(form),
  ]);
  return [...new Set(spellings)].filter((spelling) => spelling.length >= 4);
}

/** Its bytes as hexadecimal digits in lower case. */
export function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

/** As a part of a string, also of a string within a string, and where all but ASCII is escaped. */
function inJson(text: string): readonly string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const ascii = once.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [once, once.replaceAll('/', '\\/'), ascii, JSON.stringify(once).slice(1, -1)];
}

function inUrls(text: string): readonly string[] {
  // What is no text cannot be encoded.
  const component = encodeURIComponent(text.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return [component, strict, strict.replaceAll('%20', '+')].flatMap((spelling) => [
    spelling,
    spelling.replace(/%[\dA-F]{2}/g, (escaped) => escaped.toLowerCase()),
  ]);
}

function inHtml(text: string): readonly string[] {
  const base = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = base.replaceAll('"', '&quot;');
  return [base, quoted, ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote))];
}

/** As `set` and `export -p` write it. */
function inShells(text: string): readonly string[] {
  return [
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replace(/["$`\\]/g, '\\$&'),
    text.replace(/[^\w@%+=:,./-]/g, '\\$&'),
  ];
}

/**
 * The characters that stand for nothing but its bytes, wherever among other bytes it begins: the first and the last ones
 * hold bits of its neighbours.
 */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const cores = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
  return cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]);
}
