/** What a refusal tells of sizes, in tokens. A missing field: it does not say. */
export interface ToldSizes {
  /** The largest request that the model takes. */
  readonly window?: number;
  /** The request, as the server counts it, without the answer. */
  readonly size?: number;
}

/** Reads the numbers in a server's refusal of a request that is too long. `test/models/refused-sizes.jsonl` has their texts. */
export function sizesIn(text: string): ToldSizes {
  return { window: numberBy(windowForms, text), size: numberBy(sizeForms, text) };
}

function numberBy(forms: readonly RegExp[], text: string): number | undefined {
  for (const form of forms) {
    const digits = form.exec(text)?.[1]?.replaceAll(/[,_\s]/g, '');
    const number = Number(digits);
    if (digits !== undefined && number >= least && number <= most) return number;
  }
  return undefined;
}

/** A smaller or larger number is another thing. */
const least = 64;
const most = 100_000_000;

/** `N` stands for a number, which may have commas. */
function forms(...texts: readonly string[]): readonly RegExp[] {
  return texts.map((text) => new RegExp(text.replaceAll('N', '(\\d[\\d,_]*)'), 'i'));
}

const windowForms = forms(
  '"n_ctx"\\s*:\\s*N',
  // Anthropic: what is read and what is written, together.
  '\\+\\s*\\d+\\s*>\\s*N',
  '>\\s*N (?:token )?maximum',
  'N maximum context',
  'context (?:length|window|size|limit)(?: tokens)?(?: is| of)?(?: only)?\\s*[:=(]*\\s*N',
  'context window (?:has|holds|allows) N',
  'maximum number of (?:input )?tokens allowed\\s*(?:is|of)?\\s*[:(]*\\s*N',
  'maximum (?:model|prompt|input|sequence|total)(?: token)?s? (?:length|count|limit|tokens)(?: is| of)?(?: only)?\\s*[:(]*\\s*N',
  'token limit(?: is| of)?\\s*[:(]*\\s*N',
  'length should be \\[\\d+,\\s*N\\]',
  'limit(?: is)? N, requested',
  '(?:while|the) limit is N',
  'model limit of N',
  'cannot exceed N',
  'must have less than N tokens',
  'must be <=? ?N\\. given',
  'max size:? N',
  'max_(?:seq|input|model|total)_?(?:len|length|tokens)\\)?\\D{0,20}?N',
  '(?:exceeds|larger than|greater than|longer than|above) (?:the )?(?:maximum|limit|max)[^\\d]{0,40}N',
  '(?:最大|上限|限制|不超过|不能超过|超过了?)\\D{0,16}?N',
);

const sizeForms = forms(
  '"n_prompt_tokens"\\s*:\\s*N',
  'N (?:tokens )?in the messages',
  'N of text input',
  'N tokens from the input',
  'request \\(N tokens',
  '(?:input|prompt) \\(N tokens',
  'requested tokens \\(N\\)',
  'passed N input tokens',
  '(?:prompt|request|input|messages?) (?:contains?|has|have|is|with|resulted in|of)(?: at least)? N',
  'resulted in N tokens',
  'given: N',
  'prompt is too long\\s*[:,]\\s*N',
  'token count \\(N\\)',
  'context limit:\\s*N \\+',
  'keep the first N tokens',
  'length(?: of prompt_tokens)? \\(?(?:is )?N',
  'requested(?: about| a total of)?[ :]+N',
  'received N',
  '(?:实际|当前|输入)\\D{0,12}?N',
);
