import { parseArgs } from 'node:util';
import { nearest } from '../lib/nearest.ts';
import type { OnFault } from './load-at-start.ts';

export type Arguments =
  | { readonly type: 'run'; readonly configPath?: string | undefined; readonly onFault: OnFault }
  | { readonly type: 'check'; readonly configPath?: string | undefined; readonly asJson: boolean }
  | { readonly type: 'doctor'; readonly asJson: boolean }
  | { readonly type: 'help' | 'version' }
  | { readonly type: 'wrong'; readonly reason: string };

/** The text of `--help`. `command` starts Keyturn as it is installed: `keyturn`, or `npm start --` in a clone. */
export function usage(command: string): string {
  return `Usage: ${command} [--config FILE] [--strict | --last-good]
       ${command} config check [FILE] [--json]
       ${command} doctor [--json]

  --config FILE   the config file. Default: config.json if it exists, else default settings
  --strict        do not start if the config cannot be used; exit with code 78
  --last-good     if the config cannot be used, start with the last one that worked, as a service does
  --version       print the version
  --help          print this text

  config check    report everything wrong or doubtful in the config, without starting; exit with code 0 or 78
  doctor          list the versions that Keyturn runs with, their age, and missing security fixes; exit with code 0 or 1
  --json          print the report as JSON

The config, the data and the workspace are in the current folder, or in KEYTURN_HOME if that is set.
If Keyturn is installed globally, they are in the folder for your user's data.
`;
}

/** Parses the command-line arguments. `ofChat`: the commands of chats, which people also try here. */
export function readArguments(words: readonly string[], ofChat: readonly string[]): Arguments {
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
    if (first !== undefined) return { type: 'wrong', reason: unknownCommand(positionals, ofChat) };
    if (values.json) return { type: 'wrong', reason: '--json works only with "config check" and "doctor".' };
    if (values.strict && values['last-good'])
      return { type: 'wrong', reason: 'Use --strict or --last-good, not both.' };
    const onFault = values.strict ? 'strict' : values['last-good'] ? 'last-good' : 'by-terminal';
    return { type: 'run', configPath: values.config, onFault };
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split(/(?<=\.) /);
    return { type: 'wrong', reason: `${reason}${meantOption(reason)}` };
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
function unknownCommand(words: readonly string[], ofChat: readonly string[]): string {
  const written = words.join(' ');
  const [first = ''] = words;
  const name = first.replace(/^\//, '').toLowerCase();
  const unknown = `There is no command "${written}".`;
  if (isStart(name)) return `${unknown} Without a command, this program starts.`;
  const part = words.length === 1 ? commands.find((command) => command.split(' ').includes(name)) : undefined;
  const own = wordsOfOptions.get(name) ?? part ?? nearest(written, commands);
  if (own !== undefined) return `${unknown} Did you mean "${own}"?`;
  if (ofChat.includes(name)) return `"${name}" is a chat command: type /${name} in the chat.`;
  const meant = nearest(name, ofChat);
  return meant === undefined ? unknown : `${unknown} Did you mean the chat command /${meant}? Type it in the chat.`;
}

function isStart(name: string): boolean {
  return name === 'start' || name === 'run' || name === 'serve';
}

/** ` Did you mean "--config"?` after the error of an unknown option; empty if no option is near. */
function meantOption(reason: string): string {
  const written = /^Unknown option '-+([^'=]+)/.exec(reason)?.[1];
  const meant = written === undefined ? undefined : nearest(written, Object.keys(options));
  return meant === undefined ? '' : ` Did you mean "--${meant}"?`;
}
