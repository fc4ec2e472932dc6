import { parseArgs } from 'node:util';
import { nearest } from '../lib/nearest.ts';
import type { Language } from '../lib/words.ts';
import type { OnFault } from './load-at-start.ts';
import { cliWords } from './words.ts';

export type Arguments =
  | { readonly type: 'run'; readonly configPath?: string | undefined; readonly onFault: OnFault }
  | { readonly type: 'check'; readonly configPath?: string | undefined; readonly asJson: boolean }
  | { readonly type: 'doctor'; readonly asJson: boolean }
  | { readonly type: 'help' | 'version' }
  | { readonly type: 'wrong'; readonly reason: string };

/**
 * Parses the command-line arguments. What is wrong with them is said in this language. `ofChat`: the commands of chats,
 * which people also try here.
 */
export function readArguments(
  words: readonly string[],
  ofChat: readonly string[],
  language: Language = 'en',
): Arguments {
  const say = cliWords[language];
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options,
    });
    if (values.help === true) return { type: 'help' };
    if (values.version === true) return { type: 'version' };
    const [first, second, file, ...more] = positionals;
    if (first === 'config' && second === 'check' && more.length === 0) {
      return { type: 'check', configPath: file ?? values.config, asJson: values.json };
    }
    if (first === 'doctor' && second === undefined) return { type: 'doctor', asJson: values.json };
    if (first !== undefined) return { type: 'wrong', reason: unknownCommand(positionals, ofChat, language) };
    if (values.json) return { type: 'wrong', reason: say.jsonAlone };
    if (values.strict && values['last-good']) return { type: 'wrong', reason: say.oneOfTwo };
    const onFault = values.strict ? 'strict' : values['last-good'] ? 'last-good' : 'by-terminal';
    return { type: 'run', configPath: values.config, onFault };
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split(/(?<=\.) /);
    return { type: 'wrong', reason: optionFault(reason, language) };
  }
}

const options = {
  config: { type: 'string' },
  strict: { type: 'boolean', default: false },
  'last-good': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** The commands of this program. */
const commands = ['config check', 'doctor'];
/** Words that people try, and that are options here. */
const wordsOfOptions: ReadonlyMap<string, string> = new Map([
  ['help', '--help'],
  ['version', '--version'],
]);

/** What is wrong with these words, and what was probably meant: a command of this program, or one of the chat. */
function unknownCommand(words: readonly string[], ofChat: readonly string[], language: Language): string {
  const say = cliWords[language];
  const written = words.join(' ');
  const [first = ''] = words;
  const name = first.replace(/^\//, '').toLowerCase();
  if (isStart(name)) return say.startsWithout({ written });
  const part = words.length === 1 ? commands.find((command) => command.split(' ').includes(name)) : undefined;
  const own = wordsOfOptions.get(name) ?? part ?? nearest(written, commands);
  if (own !== undefined) return say.meantCommand({ written, meant: own });
  if (ofChat.includes(name)) return say.chatCommand({ name });
  const meant = nearest(name, ofChat);
  return meant === undefined ? say.noCommand({ written }) : say.meantChatCommand({ written, meant });
}

function isStart(name: string): boolean {
  return name === 'start' || name === 'run' || name === 'serve';
}

/** What is wrong with an option, and the option that is near if it is unknown. */
function optionFault(reason: string, language: Language): string {
  const say = cliWords[language];
  const unknown = /^Unknown option '([^'=]+)/.exec(reason)?.[1];
  if (unknown !== undefined) {
    const fault = say.unknownOption({ reason, option: unknown });
    const meant = nearest(unknown.replace(/^-+/, ''), Object.keys(options));
    return meant === undefined ? fault : say.meantOption({ reason: fault, meant });
  }
  const lacks = /^Option '(?:-\w, )?(-[^' ]+)[^']*' argument (?:missing|is ambiguous)/.exec(reason)?.[1];
  if (lacks !== undefined) return say.optionLacksValue({ reason, option: lacks });
  const takesNone = /^Option '(?:-\w, )?(-[^' ]+)' does not take an argument/.exec(reason)?.[1];
  return takesNone === undefined ? reason : say.optionTakesNoValue({ reason, option: takesNone });
}
