import { KnownTexts, type Span } from './known-texts.ts';

/** Takes secrets out of a text. */
export type Redactor = (text: string) => string;

export interface RedactorOptions {
  /** What is known to be secret. */
  readonly secrets: readonly string[];
  /** A known secret of fewer characters is not looked for: it stands in too many texts by chance. Default 6, at least 4. */
  readonly shortest?: number;
}

/**
 * Replaces what is known to be secret, in every usual spelling, by `[secret]`, and what has the shape of one by
 * `[secret: kind]`. Secrets that overlap or hold each other go as a whole. Takes time in proportion to the text, whatever
 * the text is. It is a net and no wall: who wants to hide a secret from it, by writing it backwards, can.
 */
export function redactor({ secrets, shortest = 6 }: RedactorOptions): Redactor {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= Math.max(4, shortest));
  const spelled = new KnownTexts(known.flatMap(spellingsOf));
  let dumped: KnownTexts | undefined;
  const inDumps = (): KnownTexts => {
    dumped ??= new KnownTexts(known.map(hexOf));
    return dumped;
  };
  return (text) => {
    const spans = [...spelled.find(text), ...hexDumpSpans(text, inDumps), ...shapedSpans(text)];
    return spans.length === 0 ? text : replace(text, spans);
  };
}

/** Leaves the text as it is. */
export const noRedaction: Redactor = (text) => text;

function replace(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, kind } of merged(spans)) {
    parts.push(text.slice(done, start), kind === undefined ? '[secret]' : `[secret: ${kind}]`);
    done = end;
  }
  return [...parts, text.slice(done)].join('');
}

/** What overlaps is one; it has a kind if both have the same. */
function merged(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || span.start >= last.end) all.push(span);
    else all[all.length - 1] = union(last, span);
  }
  return all;
}

function union(a: Span, b: Span): Span {
  const kind = a.kind === b.kind ? a.kind : undefined;
  return { start: a.start, end: Math.max(a.end, b.end), kind };
}

/** A line of `xxd`, `hexdump -C` or `od -tx1`: an offset, and up to 16 bytes in groups of one or two. */
const dumpLine =
  /^[ \t]*[\da-f]{5,16}:?[ \t]+((?:[\da-f]{2}){1,2}(?:[ \t]{1,2}(?:[\da-f]{2}){1,2}){0,15})(?![\da-f]).*$/gim;
const mostDigits = 32;

/**
 * The lines of hex dumps that show one of the texts, which are hexadecimal digits in lower case. They are asked for only if
 * there is such a line.
 */
function hexDumpSpans(text: string, known: () => KnownTexts): readonly Span[] {
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
  return known()
    .find(digits.join(''))
    .flatMap(({ start, end }) => {
      const [first, last] = [lineAt(start), lineAt(end - 1)];
      return first === undefined || last === undefined ? [] : [{ start: first.start, end: last.end }];
    });
}

/** The usual ways in which programs write a text, the text itself among them. Each is at least 4 characters long. */
function spellingsOf(text: string): readonly string[] {
  const forms = new Set([text, text.normalize('NFC'), text.normalize('NFD')]);
  const spellings = [...forms].flatMap((form) => [
    form,
    ...inJson(form),
    ...inUrls(form),
    ...inHtml(form),
    ...inShells(form),
    inMarkdown(form),
    hexOf(form),
    hexOf(form).toUpperCase(),
    ...inBase64(form),
  ]);
  return [...new Set(spellings)].filter((spelling) => spelling.length >= 4);
}

/** Its bytes as hexadecimal digits in lower case. */
function hexOf(text: string): string {
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

/** As our own messages write a text in which no sign may become markup. */
function inMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|~&]/g, '\\$&');
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

/** What secrets of one kind look like. */
interface Shape {
  readonly kind: string;
  /** A text without any of these holds none. */
  readonly hints: readonly string[];
  /**
   * Global. It begins with characters that are rare, and looks back from there, so that it costs one quick search where
   * there is none. The group `value`, if there is one, is the secret; it ends with the match.
   */
  readonly pattern: RegExp;
  /** Whether what was found is one, and no word of a manual. Left out: it has to look random. */
  isOne?(value: string, groups: Readonly<Record<string, string | undefined>>): boolean;
}

/** What looks like a secret of a known kind. What manuals write in the place of one does not. */
function shapedSpans(text: string): readonly Span[] {
  return shapes.flatMap((shape) => (shape.hints.some((hint) => text.includes(hint)) ? spansOf(shape, text) : []));
}

function spansOf({ kind, pattern, isOne = looksRandom }: Shape, text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { 0: found, index, groups = {} } of text.matchAll(pattern)) {
    const { value = found } = groups;
    const end = index + found.length;
    if (isOne(value, groups)) spans.push({ start: end - value.length, end, kind });
  }
  return spans;
}

/** Begins where a word begins, or behind an escape: what stands in the middle of a longer word is something else. */
function token(kind: string, start: string, rest: string): Shape {
  const pattern = new RegExp(`${start}(?<=(?:^|[^\\w-]|\\\\[nrt]|%[\\dA-Fa-f]{2})${start})${rest}`, 'g');
  return { kind, hints: [start], pattern };
}

const shapes: readonly Shape[] = [
  token('Anthropic key', 'sk-ant-', String.raw`[\w-]{20,}`),
  token('OpenRouter key', 'sk-or-', String.raw`[\w-]{20,}`),
  token('OpenAI key', 'sk-', String.raw`(?:proj|svcacct|admin|None)-[\w-]{20,}`),
  token('API key', 'sk-', String.raw`[A-Za-z\d]{20,}(?![\w-])`),
  token('Groq key', 'gsk_', String.raw`[A-Za-z\d]{40,}`),
  token('xAI key', 'xai-', String.raw`[A-Za-z\d]{40,}`),
  token('Perplexity key', 'pplx-', String.raw`[A-Za-z\d]{40,}`),
  token('Hugging Face token', 'hf_', String.raw`[A-Za-z\d]{30,}`),
  token('Replicate token', 'r8_', String.raw`[A-Za-z\d]{37,}`),
  token('Tavily key', 'tvly-', String.raw`[\w-]{20,}`),
  ...['AKIA', 'ASIA'].map((start) => token('AWS key', start, String.raw`[A-Z\d]{16}(?![\w+/=])`)),
  ...['p', 'o', 'u', 's', 'r'].map((letter) => token('GitHub token', `gh${letter}_`, String.raw`[A-Za-z\d]{36,}`)),
  token('GitHub token', 'github_pat_', String.raw`\w{22,}`),
  ...['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-'].map((start) =>
    token('GitLab token', start, String.raw`[\w.-]{20,}`),
  ),
  token('Slack token', 'xox', String.raw`(?:e\.xox)?[abeprs]-[\w-]{10,}`),
  token('Slack token', 'xapp-', String.raw`\d-[\w-]{10,}`),
  token('Google key', 'AIza', String.raw`[\w-]{35}(?![\w-])`),
  token('Google token', 'ya29.', String.raw`[\w-]{20,}`),
  token('Google secret', 'GOCSPX-', String.raw`[\w-]{20,}`),
  ...['sk', 'rk'].flatMap((start) =>
    ['live', 'test'].map((mode) => token('Stripe key', `${start}_${mode}_`, String.raw`[A-Za-z\d]{16,}`)),
  ),
  token('webhook secret', 'whsec_', String.raw`[A-Za-z\d+/=]{24,}`),
  token('npm token', 'npm_', String.raw`[A-Za-z\d]{36}(?!\w)`),
  token('PyPI token', 'pypi-AgE', String.raw`[\w-]{50,}`),
  token('Docker token', 'dckr_pat_', String.raw`[\w-]{20,}`),
  token('SendGrid key', 'SG.', String.raw`[\w-]{16,}\.[\w-]{30,}`),
  token('DigitalOcean token', 'dop_v1_', '[a-f\\d]{64}'),
  ...['at', 'ca', 'pa', 'ss'].map((kind) => token('Shopify token', `shp${kind}_`, '[a-fA-F\\d]{32}')),
  token('Databricks token', 'dapi', '[a-f\\d]{32}(?!\\w)'),
  token('Vault token', 'hvs.', String.raw`[\w-]{24,}`),
  token('age key', 'AGE-SECRET-KEY-1', '[A-Z\\d]{58}'),
  token('Tailscale key', 'tskey-', String.raw`[\w-]{20,}`),
  {
    kind: 'Telegram token',
    hints: [':A'],
    pattern: /:(?<=\d{6,12}:)(?<value>A[\w-]{34})(?![\w-])/g,
  },
  {
    kind: 'Discord token',
    hints: ['.'],
    pattern: /\.(?<=(?<![\w.-])[MNO][\w-]{22,27}\.)(?<value>[\w-]{6}\.[\w-]{27,40})(?![\w-])/g,
  },
  {
    kind: 'JWT',
    hints: ['eyJ'],
    pattern: /eyJ(?<=(?:^|[^\w-]|\\[nrt]|%[\dA-Fa-f]{2})eyJ)[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g,
  },
  {
    kind: 'private key',
    hints: ['PRIVATE KEY'],
    pattern:
      /-----BEGIN (?:[A-Z]{2,9} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nrt]|[>|+]|\d{1,5}[\t:])*(?:[A-Z][\w-]{2,20}: [^\n\\]{1,100}(?:\s|\\[nr])+){0,4}[A-Za-z\d+/=]{30,}(?:[A-Za-z\d+/=\s\\>|:]|-(?!----))*(?:-----END (?:[A-Z]{2,9} ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    kind: 'authorization',
    hints: ['uthorization', 'AUTHORIZATION'],
    pattern:
      /(?:uthorization|AUTHORIZATION)["']?\s{0,5}[:=,]\s{0,5}["'`]?(?:[Bb]earer|BEARER|[Tt]oken|Bot)\s{1,5}(?<value>[\w.~+/=-]{12,})/g,
  },
  {
    kind: 'authorization',
    hints: ['Basic '],
    pattern: /uthorization["']?\s{0,5}[:=,]\s{0,5}["'`]?Basic\s{1,5}(?<value>[A-Za-z\d+/]{8,}={0,2})/g,
    isOne: (value) => /^[ -~]+:[ -~]+$/.test(Buffer.from(value, 'base64').toString('latin1')),
  },
  {
    kind: 'authorization',
    hints: ['Bearer '],
    pattern: /Bearer (?<value>[\w.~+/-]{20,}={0,2})/g,
  },
  {
    kind: 'password',
    hints: ['://'],
    pattern: /:\/\/(?<user>[^\s/:@"'<>`]{0,100}):(?<value>[^\s/@"'<>`]{3,200})(?=@[\w[])/g,
    isOne: (value, { user }) => value !== user && !isPlaceholder(value),
  },
  {
    kind: 'AWS secret',
    hints: ['ecret'],
    pattern: /ecret_?[aA]ccess_?[kK]ey["']?\s{0,5}[:=]\s{0,5}["']?(?<value>[A-Za-z\d+/]{40})(?![\w+/=])/g,
  },
  {
    kind: 'AWS secret',
    hints: ['SECRET_ACCESS_KEY'],
    pattern: /SECRET_ACCESS_KEY["']?\s{0,5}[:=]\s{0,5}["']?(?<value>[A-Za-z\d+/]{40})(?![\w+/=])/g,
  },
  {
    kind: 'Azure key',
    hints: ['AccountKey='],
    pattern: /AccountKey=(?<value>[A-Za-z\d+/]{86}==)/g,
  },
  {
    kind: 'Slack webhook',
    hints: ['hooks.slack.com/'],
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<value>[\w/-]{20,})/g,
  },
  {
    kind: 'Discord webhook',
    hints: ['/webhooks/'],
    pattern: /discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks\/\d{5,25}\/(?<value>[\w-]{30,})/g,
  },
];

/** Enough different characters, digits and letters among them. Only its beginning is looked at. */
function looksRandom(value: string): boolean {
  const start = value.slice(0, 400);
  return /\d/.test(start) && /[A-Za-z]/.test(start) && new Set(start).size >= 8;
}

/** What stands in the place of a password where an address is explained. */
function isPlaceholder(value: string): boolean {
  return /^(?:my|your)?[-_.]?(?:pass(?:word|wd|phrase)?|pwd?|secret|token|key|changeme)\d?$|^[*x.…]+$|[${}[\]()<>|\\,;]/i.test(
    value,
  );
}
