import { isAmong, type ShellWord } from './shell-words.ts';

/** What a `git push` does to what the remote has, besides adding to it. */
export type RemoteLoss = 'overwritten' | 'removed';

interface PlainCommand {
  readonly program: string;
  readonly words: readonly ShellWord[];
}

/**
 * What a command takes from a remote of git, the worst first, and the remote as written, without credentials; empty if that
 * is left to the settings of git. For people only: variables and settings may hold more. Options may be shortened, as in git.
 */
export function lossesOf({
  program,
  words,
}: PlainCommand): readonly { readonly loss: RemoteLoss; readonly at: string }[] {
  const pushed = program === 'git' ? pushedWords(words) : undefined;
  if (pushed === undefined) return [];
  const { options, operands } = pushed;
  const has = (pattern: RegExp): boolean => options.some((text) => pattern.test(text));
  if (has(/^-[vqdfu46]*n|^--dry/)) return [];
  const [remote = '', ...refs] = operands;
  const at = remote.replace(/\/\/[^/?#\s]*@/, '//');
  const isMirror = has(/^--mi/);
  const isForced = isMirror || has(/^-[vqdnu46]*f|^--for(?!ce-i)/) || refs.some((ref) => /^\+(?!:.)/.test(ref));
  const removes = isMirror || has(/^-[vqfnu46]*d|^--(?:de|pru)/) || refs.some((ref) => /^\+?:./.test(ref));
  return [
    ...(isForced ? [{ loss: 'overwritten', at } as const] : []),
    ...(removes ? [{ loss: 'removed', at } as const] : []),
  ];
}

/** The words behind `push`. Undefined if git does something else. */
function pushedWords(words: readonly ShellWord[]) {
  const texts = words.map(({ text }) => text);
  const verb = texts.findIndex((text, at) => !text.startsWith('-') && !isAmong(texts[at - 1] ?? '', beforeVerb));
  if (texts[verb] !== 'push') return undefined;
  const behind = texts.slice(verb + 1).filter((_, at) => !isAmong(texts[verb + at] ?? '', behindVerb));
  const end = behind.indexOf('--');
  const before = end === -1 ? behind : behind.slice(0, end);
  const isOption = (text: string): boolean => text.startsWith('-');
  const plain = before.filter((text) => !isOption(text));
  return { options: before.filter(isOption), operands: [...plain, ...(end === -1 ? [] : behind.slice(end + 1))] };
}

/** Options of git, and of its `push`, whose value is the next word. */
const beforeVerb = '-c -C --git-dir --work-tree --namespace --exec-path --config-env --super-prefix';
const behindVerb = '-o --push-option --repo --receive-pack --exec';
