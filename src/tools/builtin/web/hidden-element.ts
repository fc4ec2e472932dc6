/** What a browser skips within a style, and another spelling of any character. */
const comments = /\/\*[\s\S]*?(?:\*\/|$)/g;
const spelled = /\\([\da-f]{1,6})\s?/gi;

const zero = '(?:0+(?:\\.0*)?|\\.0+)(?![\\d.])';
const hiddenStyle = new RegExp(
  [
    'display\\s*:\\s*none',
    '(?:^|[^-]|content-)visibility\\s*:\\s*(?:hidden|collapse)',
    // A twentieth is not seen either.
    `opacity\\s*[:(]\\s*(?:${zero}|0*\\.0[0-4])`,
    `font-size\\s*:\\s*(?:${zero}|[01]?(?:\\.\\d+)?p[xt]\\s*(?:;|!|$))`,
    `(?:^|[^-])color\\s*:\\s*(?:transparent|(?:rgb|hsl)a?\\((?:(?:[^),]{1,20},){3}|[^)/]{1,60}/)\\s*${zero})`,
    '(?:left|top|right|bottom|text-indent)\\s*:\\s*(?:-\\d{3,}|-\\d\\d(?:r?em|v[wh])|[3-9]\\d{3}|\\d{5,})',
    'translate[xy3d]*\\([^)]{0,40}\\d{4,}',
    `scale[xy3d]*\\(\\s*${zero}`,
    'clip\\s*:\\s*rect\\(\\s*(?:0|1px)',
    'clip-path\\s*:\\s*(?:inset\\(\\s*(?:[5-9]\\d|100)%|circle\\(\\s*0)',
    '(?:^|[^-]|max-)(?:height|width)\\s*:\\s*[01](?:px)?\\s*(?:;|!|$)',
  ].join('|'),
  'i',
);

/** Whether such an element's own attributes keep it from being seen. What a style sheet hides is not known. */
export function isHidden(attribute: (name: string) => string | null | undefined): boolean {
  if (typeof attribute('hidden') === 'string' || typeof attribute('popover') === 'string') return true;
  if (attribute('aria-hidden')?.trim().toLowerCase() === 'true') return true;
  const style = attribute('style') ?? '';
  return style !== '' && hiddenStyle.test(plainStyle(style));
}

function plainStyle(style: string): string {
  return style
    .replace(comments, '')
    .replace(spelled, (_, code) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)));
}
