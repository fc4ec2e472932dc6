/** Takes secrets out of a text. */
export type Redactor = (text: string) => string;

/**
 * Replaces known secrets, in every usual spelling, by `[secret]`, and texts shaped like secrets by `[secret: kind]`.
 * Overlapping and nested secrets are replaced as one. Takes time linear in the text. This is best effort, not a
 * boundary: a secret that is written backwards passes. `shortest`: known secrets with fewer characters are not looked
 * for, since they occur in many texts by chance; at least 4.
 */
export function redactor(secrets: readonly string[], shortest = 6): Redactor {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= Math.max(4, shortest));
  const spelled = textFinder(known.flatMap(spellingsOf));
  let dumped: TextFinder | undefined;
  const inDumps: TextFinder = (digits) => {
    dumped ??= textFinder(known.map(hexOf));
    return dumped(digits);
  };
  return (text) => {
    const spans = [...spelled(text), ...hexDumpSpans(text, inDumps), ...shapedSpans(text)];
    return spans.length === 0 ? text : replace(text, spans);
  };
}

export const noRedaction: Redactor = (text) => text;

/** A part of a text, from `start` to before `end`, in UTF-16 units. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** The kind of secret, if known. */
  readonly kind?: string;
}

/** Merges overlapping spans. A merged span has a kind if both have the same. */
function replace(text: string, spans: readonly Span[]): string {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else
      merged[merged.length - 1] = {
        start: last.start,
        end: Math.max(last.end, span.end),
        kind: last.kind === span.kind ? last.kind : undefined,
      };
  }
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, kind } of merged) {
    parts.push(text.slice(done, start), kind === undefined ? '[secret]' : `[secret: ${kind}]`);
    done = end;
  }
  return [...parts, text.slice(done)].join('');
}

/** A line of `xxd`, `hexdump -C` or `od -tx1`: an offset, and up to 16 bytes in groups of one or two. */
const dumpLine =
  /^[ \t]*[\da-f]{5,16}:?[ \t]+((?:[\da-f]{2}){1,2}(?:[ \t]{1,2}(?:[\da-f]{2}){1,2}){0,15})(?![\da-f]).*$/gim;
const mostDigits = 32;

/** The lines of hex dumps that contain a known text. `find` takes lower-case digits, and only if there is a dump. */
function hexDumpSpans(text: string, find: TextFinder): readonly Span[] {
  const lines: Span[] = [];
  const lineOfByte: number[] = [];
  const digits: string[] = [];
  for (const { 0: line, 1: groups = '', index } of text.matchAll(dumpLine)) {
    const own = groups.replaceAll(/\s/g, '').slice(0, mostDigits).toLowerCase();
    for (let byte = 0; byte < own.length / 2; byte++) lineOfByte.push(lines.length);
    lines.push({ start: index, end: index + line.length });
    digits.push(own);
  }
  if (lines.length === 0) return [];
  const lineAt = (digit: number): Span | undefined => lines[lineOfByte[digit >> 1] ?? -1];
  return find(digits.join('')).flatMap(({ start, end }) => {
    const [first, last] = [lineAt(start), lineAt(end - 1)];
    return first === undefined || last === undefined ? [] : [{ start: first.start, end: last.end }];
  });
}

/** How programs usually write a text, including the text itself. Each spelling has at least 4 characters. */
function spellingsOf(text: string): readonly string[] {
  const forms = new Set([text, text.normalize('NFC'), text.normalize('NFD')]);
  const spellings = [...forms].flatMap((form) => [
    form,
    ...inJson(form),
    ...inUrls(form),
    ...inHtml(form),
    // As `set` and `export -p` write it.
    form.replaceAll("'", "'\\''"),
    form.replaceAll("'", `'"'"'`),
    form.replace(/["$`\\]/g, '\\$&'),
    form.replace(/[^\w@%+=:,./-]/g, '\\$&'),
    // As our own messages escape markup.
    form.replace(/[\\`*_[\]<>|~&]/g, '\\$&'),
    hexOf(form),
    hexOf(form).toUpperCase(),
    ...inBase64(form),
  ]);
  return [...new Set(spellings)].filter((spelling) => spelling.length >= 4);
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

/** As part of a string, of a string within a string, and with everything but ASCII escaped. */
function inJson(text: string): readonly string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const ascii = once.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [once, once.replaceAll('/', '\\/'), ascii, JSON.stringify(once).slice(1, -1)];
}

function inUrls(text: string): readonly string[] {
  // Lone surrogates cannot be encoded.
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

/** The characters that depend only on the text, per alignment: those at its ends also hold bits of adjacent bytes. */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const core = encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Texts shaped like a known kind of secret, without the placeholders of manuals. */
function shapedSpans(text: string): readonly Span[] {
  return shapes.flatMap(({ kind, hints, pattern }) => {
    if (!hints.some((hint) => text.includes(hint))) return [];
    return [...text.matchAll(pattern)].flatMap(({ 0: found, index, groups = {} }) => {
      const { login, value = login ?? found, user } = groups;
      const end = index + found.length;
      return isSecret(value, user, login) ? [{ start: end - value.length, end, kind }] : [];
    });
  });
}

/** Whether a match is a secret, rather than an example in a manual. */
function isSecret(value: string, user: string | undefined, login: string | undefined): boolean {
  if (login !== undefined) return /^[ -~]+:[ -~]+$/.test(Buffer.from(login, 'base64').toString('latin1'));
  return user === undefined ? looksRandom(value) : value !== user && !isPlaceholder(value);
}

/** Whether it has enough different characters, among them digits and letters. Only its beginning is checked. */
function looksRandom(value: string): boolean {
  const start = value.slice(0, 400);
  return /\d/.test(start) && /[A-Za-z]/.test(start) && new Set(start).size >= 8;
}

/** What manuals write for the password in a URL. */
function isPlaceholder(value: string): boolean {
  return /^(?:my|your)?[-_.]?(?:pass(?:word|wd|phrase)?|pwd?|secret|token|key|changeme)\d?$|^[*x.…]+$|[${}[\]()<>|\\,;]/i.test(
    value,
  );
}

/** A kind of token, its prefixes, and the pattern of the rest. */
const tokens = String.raw`
Anthropic key | sk-ant- | [\w-]{20,}
OpenRouter key | sk-or- | [\w-]{20,}
OpenAI key | sk- | (?:proj|svcacct|admin|None)-[\w-]{20,}
API key | sk- | [A-Za-z\d]{20,}(?![\w-])
Groq key | gsk_ | [A-Za-z\d]{40,}
xAI key | xai- | [A-Za-z\d]{40,}
Perplexity key | pplx- | [A-Za-z\d]{40,}
Hugging Face token | hf_ | [A-Za-z\d]{30,}
Replicate token | r8_ | [A-Za-z\d]{37,}
Tavily key | tvly- | [\w-]{20,}
AWS key | AKIA ASIA | [A-Z\d]{16}(?![\w+/=])
GitHub token | ghp_ gho_ ghu_ ghs_ ghr_ | [A-Za-z\d]{36,}
GitHub token | github_pat_ | \w{22,}
GitLab token | glpat- gldt- glrt- glptt- glcbt- | [\w.-]{20,}
Slack token | xox | (?:e\.xox)?[abeprs]-[\w-]{10,}
Slack token | xapp- | \d-[\w-]{10,}
Google key | AIza | [\w-]{35}(?![\w-])
Google token | ya29. | [\w-]{20,}
Google secret | GOCSPX- | [\w-]{20,}
Stripe key | sk_live_ sk_test_ rk_live_ rk_test_ | [A-Za-z\d]{16,}
webhook secret | whsec_ | [A-Za-z\d+/=]{24,}
npm token | npm_ | [A-Za-z\d]{36}(?!\w)
PyPI token | pypi-AgE | [\w-]{50,}
Docker token | dckr_pat_ | [\w-]{20,}
SendGrid key | SG. | [\w-]{16,}\.[\w-]{30,}
DigitalOcean token | dop_v1_ | [a-f\d]{64}
Shopify token | shpat_ shpca_ shppa_ shpss_ | [a-fA-F\d]{32}
Databricks token | dapi | [a-f\d]{32}(?!\w)
Vault token | hvs. | [\w-]{24,}
age key | AGE-SECRET-KEY-1 | [A-Z\d]{58}
Tailscale key | tskey- | [\w-]{20,}
JWT | eyJ | [\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}`;

/**
 * Other secrets: the kind, texts of which a match contains one, and the pattern, whose last group is the secret: `login`
 * in base64, or `value`, which with `user` is a password. A pattern starts with rare characters and looks back from
 * there, so that a text without matches costs one fast search.
 */
const others = String.raw`
Telegram token | :A | :(?<=\d{6,12}:)(?<value>A[\w-]{34})(?![\w-])
Discord token | . | \.(?<=(?<![\w.-])[MNO][\w-]{22,27}\.)(?<value>[\w-]{6}\.[\w-]{27,40})(?![\w-])
private key | PRIVATE KEY | -----BEGIN (?:[A-Z]{2,9} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nrt]|[>|+]|\d{1,5}[\t:])*(?:[A-Z][\w-]{2,20}: [^\n\\]{1,100}(?:\s|\\[nr])+){0,4}[A-Za-z\d+/=]{30,}(?:[A-Za-z\d+/=\s\\>|:]|-(?!----))*(?:-----END (?:[A-Z]{2,9} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?
authorization | uthorization,AUTHORIZATION | (?:uthorization|AUTHORIZATION)["']?\s{0,5}[:=,]\s{0,5}["'\x60]?(?:[Bb]earer|BEARER|[Tt]oken|Bot)\s{1,5}(?<value>[\w.~+/=-]{12,})
authorization | Basic | uthorization["']?\s{0,5}[:=,]\s{0,5}["'\x60]?Basic\s{1,5}(?<login>[A-Za-z\d+/]{8,}={0,2})
authorization | Bearer | Bearer (?<value>[\w.~+/-]{20,}={0,2})
password | :// | ://(?<user>[^\s/:@"'<>\x60]{0,100}):(?<value>[^\s/@"'<>\x60]{3,200})(?=@[\w[])
AWS secret | ecret,SECRET_ACCESS_KEY | (?:ecret_?[aA]ccess_?[kK]ey|SECRET_ACCESS_KEY)["']?\s{0,5}[:=]\s{0,5}["']?(?<value>[A-Za-z\d+/]{40})(?![\w+/=])
Azure key | AccountKey= | AccountKey=(?<value>[A-Za-z\d+/]{86}==)
Slack webhook | hooks.slack.com/ | hooks\.slack\.com/(?:services|workflows|triggers)/(?<value>[\w/-]{20,})
Discord webhook | /webhooks/ | discord(?:app)?\.com/api/(?:v\d{1,3}/)?webhooks/\d{5,25}/(?<value>[\w-]{30,})`;

const shapes = [
  ...rowsOf(tokens).flatMap(([kind = '', starts = '', rest = '']) =>
    starts.split(' ').map((start) => {
      // In the middle of a longer word it is something else, but it may follow an escape.
      const pattern = `${start}(?<=(?:^|[^\\w-]|\\\\[nrt]|%[\\dA-Fa-f]{2})${start})${rest}`;
      return { kind, hints: [start], pattern: new RegExp(pattern, 'g') };
    }),
  ),
  ...rowsOf(others).map(([kind = '', hints = '', pattern = '']) => ({
    kind,
    hints: hints.split(','),
    pattern: new RegExp(pattern, 'g'),
  })),
];

function rowsOf(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(' | '));
}

interface KnownText {
  readonly text: string;
  /** It is matched across blanks and line ends, since encoders wrap lines. `text` is without them then. */
  readonly isLoose: boolean;
}

/** Shorter ones would match columns of numbers if blanks were skipped. */
const shortestLoose = 12;
/** The most blanks that are skipped at one place of a loose text. */
const mostBlanks = 80;
/** How many characters identify a text: the key has 16 bits, and each character shifts it by 4. */
const windowLength = 4;

/** Finds the longest match at every place where one begins. Matches may overlap. */
type TextFinder = (text: string) => readonly Span[];

/** Finds many texts in one pass. Texts of fewer than 4 characters, without blanks, are ignored. */
function textFinder(texts: readonly string[]): TextFinder {
  const long = texts.filter((text) => packed(text).length >= windowLength).map(knownText);
  // Many spellings of a secret are the same without blanks.
  const known = new Map(long.map((each) => [each.text, each]));
  /** By the key of their first window. */
  const groups = new Array<readonly KnownText[] | undefined>(0x1_0000);
  for (const [key, group] of Map.groupBy(known.values(), keyOf)) groups[key] = group;
  return (text) => {
    if (known.size === 0) return [];
    const spans: Span[] = [];
    const starts = new Uint32Array(windowLength);
    let key = 0;
    let count = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (isBlank(code)) continue;
      key = shifted(key, code);
      starts[count % windowLength] = at;
      count += 1;
      const group = groups[key];
      if (group === undefined || count < windowLength) continue;
      const start = starts[count % windowLength] ?? 0;
      const end = Math.max(...group.map((one) => endOf(one, text, start)));
      if (end > start) spans.push({ start, end });
    }
    return spans;
  };
}

function knownText(text: string): KnownText {
  const isLoose = packed(text).length >= shortestLoose;
  return { text: isLoose ? packed(text) : text.trim(), isLoose };
}

function packed(text: string): string {
  return text.replaceAll(/[\0-\u0020]/g, '');
}

function keyOf({ text }: KnownText): number {
  const characters = packed(text);
  return Array.from({ length: windowLength }, (_, at) => characters.charCodeAt(at)).reduce(shifted, 0);
}

function shifted(key: number, code: number): number {
  return ((key << 4) ^ code) & 0xffff;
}

function isBlank(code: number): boolean {
  return code <= 0x20;
}

/** Where the known text ends if it begins at `start`; otherwise `start`. */
function endOf({ text: known, isLoose }: KnownText, text: string, start: number): number {
  let at = start;
  for (let index = 0; index < known.length; index++) {
    const most = at + mostBlanks;
    while (isLoose && at < most && isBlank(text.charCodeAt(at))) at += 1;
    if (text.charCodeAt(at) !== known.charCodeAt(index)) return start;
    at += 1;
  }
  return at;
}
