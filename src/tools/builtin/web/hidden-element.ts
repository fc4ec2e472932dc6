const hiddenStyle =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?(?![\d.])|font-size\s*:\s*0(?:\.0*)?(?![\d.])|(?:left|top|right|bottom|text-indent)\s*:\s*-\d{3,}|clip\s*:\s*rect\(\s*(?:0|1px)|(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*(?:;|!|$))/i;

/** Whether such an element's own attributes keep it from being seen. What a style sheet hides is not known. */
export function isHidden(attribute: (name: string) => string | null | undefined): boolean {
  if (typeof attribute('hidden') === 'string') return true;
  if (attribute('aria-hidden')?.trim().toLowerCase() === 'true') return true;
  return hiddenStyle.test(attribute('style') ?? '');
}
