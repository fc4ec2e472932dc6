import type { Span } from './known-texts.ts';

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
export function shapedSpans(text: string): readonly Span[] {
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
