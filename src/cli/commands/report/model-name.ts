/* The name that a provider gives to its model, without what a person has named: a fine-tuned model has their firm in it. */

/** How makers call their models, and what such names go on with. All else may be anybody's. */
const known: ReadonlySet<string> = new Set([
  // Families.
  ...'gpt|chatgpt|codex|davinci|claude|sonnet|opus|haiku|gemini|gemma|llama|codellama|qwen|qwq|mistral'.split('|'),
  ...'mixtral|ministral|magistral|codestral|devstral|pixtral|deepseek|phi|grok|glm|chatglm|kimi|moonshot'.split('|'),
  ...'moonshotai|minimax|hunyuan|doubao|ernie|yi|granite|command|nova|nemotron|olmo|falcon|solar|smollm'.split('|'),
  ...'hermes|openchat|starcoder'.split('|'),
  // Makers.
  ...'openai|anthropic|google|meta|mistralai|ai|ibm|microsoft|nvidia|cohere|nousresearch|xai|zai'.split('|'),
  // Sizes, versions and formats.
  ...'oss|x|mini|nano|micro|pro|max|plus|ultra|flash|lite|turbo|large|medium|small|tiny|base|latest'.split('|'),
  ...'preview|exp|experimental|stable|instruct|chat|coder|code|think|thinking|reasoner|reasoning|vision|vl'.split('|'),
  ...'audio|realtime|search|online|free|fast|air|it|hf|gguf|fp|bf|awq|gptq|int|q|k|m|s|l|a|b|e|r|v|text'.split('|'),
  ...'astra|maverick|scout|distill'.split('|'),
]);

export function safeModelName(name: string): string {
  const base = /^ft:[^:]+/.exec(name)?.[0];
  const shown = safeParts(base ?? name);
  return base === undefined || base === name ? shown : `${shown}:<text>`;
}

/** Families stand at the start of a part, versions and sizes after it: `qwen3`, `8b`, `4o`. */
function safeParts(name: string): string {
  return name.replaceAll(/[^/:._-]+/g, (part) => {
    if (part === 'ft') return part;
    const [, word = '', figure = '', rest = ''] = /^([a-z]*)(\d{0,4}|20\d{6})([a-z]?)$/i.exec(part) ?? [];
    const isShown =
      word + figure + rest === part && (word === '' || known.has(word.toLowerCase())) && (figure !== '' || rest === '');
    return isShown || /^o\d$/.test(part) ? part : '<text>';
  });
}
