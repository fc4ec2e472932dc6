/*
 * The tags in which models write their thoughts, and the marks around the words for people, where a server leaves them in the text.
 */

const names =
  '(?:[a-z]{1,12}[_:])?think(?:_never_used_\\w{0,40}|:[a-z]{1,12})?|thinking|antthinking|deepthink|thought|thoughts|reasoning|reasoning_content|reasoning_process|reason|reflection|scratchpad|analysis|rationale|cot|chain_of_thought|inner_monologue|internal_monologue|inner_thoughts|思考|思考过程';
const beginTag = new RegExp(`^<\\s?(${names})(?:\\s[^<>]{0,200})?/?>`, 'i');
const endTag = new RegExp(`^<\\s?/\\s?(?:${names})\\s{0,8}>`, 'i');
const halfTag = new RegExp(
  `^(?:<\\s?(?:/\\s?)?(?:${names})(?:\\s[^<>]{0,200})?/?|<\\s?(?:/\\s?)?(?:[a-z:_]{0,24}|思考?过?)|<[a-z_:]{0,12}think[\\w:]{0,52}|\\[/?[a-z]{0,5}\\]?|◁/?[a-z]{0,5}|<\\|?[a-z_]{0,20}\\|?>?[a-z]{0,12}(?:<\\|?[a-z]{0,8}\\|?)?|<\\|?channel\\|?>[^<]{0,80}(?:<\\|?[a-z]{0,8}\\|?)?)$`,
  'i',
);
/** What stands in it may still be a part of it. */
const halfEvent = /^<keyturn_event(?:\s[^<>]{0,200})?(?:>[^<\n]{0,120}(?:<\/?[a-z_]{0,13}>?)?)?$/;
const halfName = new RegExp(`^(?:${names})$`, 'i');

/** A tag of thoughts at the beginning of a text. */
export interface FoundTag {
  readonly tag: string;
  /** `mark`: of a channel for people · `call`: of a call, which stays. */
  readonly kind: 'begin' | 'end' | 'mark' | 'call';
  readonly end: RegExp;
  readonly isStrong: boolean;
}

interface Spelling {
  readonly begin: RegExp;
  readonly end: RegExp;
  readonly isStrong?: boolean;
}

const channelEnd = /<\|(?:end|start|channel|return|call)\|>/;

/** Besides tags of XML: of Kimi, Magistral, gpt-oss (harmony), Gemma, OpenThinker and Command. */
const spellings: readonly Spelling[] = [
  { begin: /^◁think▷/i, end: /◁\/think▷/i },
  // Not a link.
  { begin: /^\[THINK\]|^\[think\](?=[^(:[])/, end: /\[\/THINK\]/i },
  { begin: /^(?:<\|start\|>assistant)?<\|channel\|>analysis(?! to=)[^<]{0,40}<\|message\|>/, end: channelEnd },
  { begin: /^<\|channel>thought(?:\n|(?=.))/, end: /<channel\|>/ },
  { begin: /^<\|im_start\|>(?:think(?:ing)?|thoughts?|analysis|reasoning)\s/, end: /<\|im_end\|>/ },
  { begin: /^<\|begin_of_thought\|>/, end: /<\|end_of_thought\|>/ },
  { begin: /^<\|START_THINKING\|>/, end: /<\|END_THINKING\|>/ },
  { begin: /^<\|think(?:ing)?\|>/, end: /<\|(?:\/|end_?)think(?:ing)?\|>/ },
];

const loneEnds = [/^◁\/think▷/i, /^\[\/THINK\]/i, /^<\|end_of_thought\|>/];

/** The head of a call that begins with whom it is for. */
const callHead =
  /^<\|start\|>assistant to=[^<]{1,100}<\|channel\|>[a-z]{1,12}[^<]{0,40}(?:<\|constrain\|>[^<]{0,20})?<\|message\|>/;
const halfCallHead =
  /^<\|start\|>assistant(?: (?:t(?:o(?:=[^<]{0,100}(?:<(?:\|[a-z]{0,9}\|?>?[^<]{0,40}(?:<[^<]{0,30}){0,2})?)?)?)?)?)?$/;

/** What surrounds the words for people, and Keyturn's own marks, which small models imitate. Calls stay. */
const marks =
  /^(?:<keyturn_event(?:\s[^<>]{0,200})?>(?:[^<\n]{0,120}<\/keyturn_event>)?\s?|<\/keyturn_event>\s?|(?:<\|start\|>assistant)?<\|channel\|>(?:final|commentary)(?! to=)[^<]{0,40}<\|message\|>|<\|start\|>assistant|<\|im_start\|>(?:answer|assistant|final)\s|<\|(?:end|return|im_end)\|>|<\|(?:begin|end)_of_solution\|>|<\|(?:START|END)_RESPONSE\|>)/;

/** The tag with which a text begins. `unclear`: it may become one. */
export function tagAt(text: string, isEnd: boolean): FoundTag | 'none' | 'unclear' {
  const [tag, name = ''] = beginTag.exec(text) ?? [];
  if (tag !== undefined) {
    const isStrong = /think/i.test(name);
    return { tag, kind: tag.endsWith('/>') ? 'mark' : 'begin', end: endOf(name), isStrong };
  }
  for (const { begin, end } of spellings) {
    const [begun] = begin.exec(text) ?? [];
    if (begun !== undefined) return { tag: begun, kind: 'begin', end, isStrong: true };
  }
  const [head] = callHead.exec(text) ?? [];
  if (head !== undefined) return { tag: head, kind: 'call', end: channelEnd, isStrong: true };
  if (!isEnd && halfCallHead.test(text)) return 'unclear';
  if (!isEnd && halfEvent.test(text)) return 'unclear';
  const [mark] = marks.exec(text) ?? [];
  if (mark !== undefined) return { tag: mark, kind: 'mark', end: channelEnd, isStrong: true };
  for (const lone of [endTag, ...loneEnds]) {
    const [ended] = lone.exec(text) ?? [];
    if (ended !== undefined) return { tag: ended, kind: 'end', end: channelEnd, isStrong: true };
  }
  return !isEnd && halfTag.test(text) ? 'unclear' : 'none';
}

/** The end of a block, but for one that the thoughts quote. */
function endOf(name: string): RegExp {
  // A model that begins with one of these may end with the other.
  const ends = /^think(?:ing)?$/i.test(name) ? 'think(?:ing)?' : halfName.test(name) ? name : 'think';
  const tag = `<\\s?/\\s?${ends}\\s{0,8}>`;
  return new RegExp(`(?<!\`)${tag}|${tag}(?!\`)`, 'i');
}
