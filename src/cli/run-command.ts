/*
 * Where the program begins: reads its arguments, and does what they say. Nothing that a command does not need is loaded:
 * help, and whatever only looks at a running Keyturn, answers at once.
 */

import { ownCommand } from '../lib/own-command.ts';
import { ownVersion } from '../lib/own-version.ts';
import type { Language } from '../lib/words.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { type CommandContext, exitCodes, optionNames } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { placeOf } from './place.ts';
import { printed } from './printed.ts';
import type { Program } from './program.ts';
import { UnansweredError } from './unanswered-error.ts';
import { cliWords, processLanguage } from './words.ts';

/** Does what the process's arguments say, and sets its exit code. Explains what it cannot do. */
export async function runCommand(program: Program): Promise<void> {
  const { process } = program;
  const language = processLanguage(process.env);
  const words = process.argv.slice(2);
  const read = readArguments(words, [], language);
  const isName = read.type === 'wrong' && words.some((word) => !word.startsWith('-'));
  const request = isName ? readArguments(words, await chatCommands(program), language) : read;
  const code = await obey(request, program, language);
  if (code !== exitCodes.done) process.exitCode = code;
}

async function obey(request: Arguments, program: Program, language: Language): Promise<number> {
  const { process } = program;
  switch (request.type) {
    case 'help': {
      const { helpText } = await import('./commands/help.ts');
      process.stdout.write(helpText(request.of, ownCommand(), language));
      return exitCodes.done;
    }
    case 'version':
      process.stdout.write(`${ownVersion()}\n`);
      return exitCodes.done;
    case 'wrong':
      process.stderr.write(`${printed(request.reason)}\n${cliWords[language].seeHelp({ command: ownCommand() })}\n`);
      return exitCodes.misused;
    case 'command':
      return run(request, program, language);
  }
}

type Given = Extract<Arguments, { type: 'command' }>;

async function run(request: Given, program: Program, language: Language): Promise<number> {
  const { process } = program;
  const { command } = request;
  if (command.name !== '') endWithReader(process);
  // Our timers do not keep the process alive; this does.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    // Before anything that reads configs is loaded.
    if (command.isLight !== true) await program.channels();
    const obeyed = await command.load();
    return await obeyed(contextOf(request, program, language));
  } catch (error) {
    if (error instanceof UnansweredError) {
      process.stderr.write(`${printed(error.saidIn(language))}\n`);
      return error.exitCode;
    }
    const { explainFault } = await import('./explain-fault.ts');
    const { text, code } = explainFault(error, process.env, language, undefined, command.name);
    process.stderr.write(printed(text));
    return code;
  } finally {
    clearInterval(alive);
  }
}

function contextOf(request: Given, program: Program, language: Language): CommandContext {
  const { process } = program;
  const text = (name: string): string | undefined => {
    const value = givenAs(name, request);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    program,
    language,
    place: placeOf(process, text('config')),
    commands,
    operands: request.operands,
    asJson: request.given.get('json') === true,
    option: text,
    isOn: (name) => givenAs(name, request) === true,
    print: (line) => void process.stdout.write(`${printed(line)}\n`),
    complain: (line) => void process.stderr.write(`${printed(line)}\n`),
  };
}

function givenAs(name: string, { command, given }: Given): string | true | undefined {
  if (!optionNames(command).includes(name)) throw new TypeError(`the command ${command.name} has no --${name}`);
  return given.get(name);
}

/** A reader that has seen enough, such as `head`, is no fault. */
function endWithReader(process: NodeJS.Process): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

/** The commands of chats, which people also try here. */
async function chatCommands(program: Program): Promise<readonly string[]> {
  await program.channels();
  const { commandMenu, loadFeatures } = await import('../daemon/command-menu.ts');
  return commandMenu(await loadFeatures()).map(({ name }) => name);
}
