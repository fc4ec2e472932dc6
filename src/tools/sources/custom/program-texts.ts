import { forEachChild, parse, type SyntaxNode } from 'unbash';
import type { CommandReading } from '../../guard/command/command-reading.ts';
import { interpreterOf, isShell } from '../../guard/command/programs.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { codeWords } from './code-words.ts';
import { marksIn } from './placeholders.ts';
import { refusals } from './refusals.ts';

/**
 * Which placeholders of a masked text would become a part of a program that one of its commands runs, and why that is so: by
 * their places in the list.
 */
export function placeholdersInPrograms(text: string): ReadonlyMap<number, string> {
  const refused = new Map<number, string>();
  const refuse = (where: string, reason: string): void => {
    for (const mark of marksIn(where)) if (!refused.has(mark)) refused.set(mark, reason);
  };
  const reading = readCommands(text);
  if (!reading.isWhole) refuse(text, refusals.tooDeep);
  for (const inner of reading.innerTexts) refuse(inner, asCode('sh'));
  for (const { program, programPath } of reading.commands) refuse(programPath ?? program, refusals.program);
  for (const { program, words, redirects } of reading.commands) {
    const { code, readsInput } = codeWords({ program, words: words.map((word) => word.text) });
    for (const word of code) refuse(word, asCode(program));
    const inputs = redirects.filter(({ operator }) => operator.startsWith('<'));
    if (readsInput) for (const { target } of inputs) refuse(target.text, asCode(program));
  }
  const carried = inputRunner(reading);
  const inputs = reading.commands.flatMap(({ redirects }) =>
    redirects.filter(({ operator }) => operator.startsWith('<')),
  );
  if (carried !== undefined) for (const { target } of inputs) refuse(target.text, asCode(carried));
  refusePiped(parse(text), text, refuse);
  return refused;
}

/** What is piped into a program that runs what it reads. */
function refusePiped(node: SyntaxNode, text: string, refuse: (where: string, reason: string) => void): void {
  // Its places are not those of the text; nothing in it is a placeholder.
  if (node.type === 'Script' && node.source !== undefined) return;
  if (node.type === 'Pipeline') {
    const [first, ...stages] = node.commands;
    let before = first === undefined ? '' : textOf(first, text);
    for (const stage of stages) {
      const reader = inputReader(readCommands(text.slice(stage.pos, stage.end)));
      if (reader !== undefined) refuse(before, asCode(reader));
      before += textOf(stage, text);
    }
  }
  forEachChild(node, (child) => refusePiped(child, text, refuse));
}

/** All of it, with the here-documents that stand further below. */
function textOf(node: SyntaxNode, text: string): string {
  let all = text.slice(node.pos, node.end);
  forEachChild(node, (child) => {
    all += child.type === 'HereDocBody' ? child.text : textOf(child, text);
  });
  return all;
}

function inputReader(reading: CommandReading): string | undefined {
  const reader = reading.commands.find(
    ({ program, words }) => codeWords({ program, words: words.map((word) => word.text) }).readsInput,
  );
  return reader?.program ?? inputRunner(reading);
}

/** What is handed its input as a part of what it runs: by a program that makes arguments of input, which are read as `{}`. */
function inputRunner({ commands }: CommandReading): string | undefined {
  const carriers = commands.filter(({ program }) => program === 'xargs' || program === 'parallel');
  if (carriers.length === 0) return undefined;
  const signs = ['{}', ...carriers.flatMap(({ words }) => replacedWords(words.map((word) => word.text)))];
  const isInput = (word: string): boolean => signs.some((sign) => word.includes(sign));
  return commands.find(({ program, words }) => {
    const { code } = codeWords({ program, words: words.map((word) => word.text) });
    return isInput(program) || code.some(isInput);
  })?.program;
}

/** What stands for the input in place of `{}`: `-I %`, `-I%`, `--replace=%`. */
function replacedWords(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (word === '-I') return words[index + 1] ?? [];
    const [, joined = ''] = /^(?:-[Ii]|--replace=)(.+)$/.exec(word) ?? [];
    return joined === '' ? [] : joined;
  });
}

function asCode(program: string): string {
  return `becomes a part of what ${program} runs: a value there would be code. ${instead(program)}`;
}

function instead(program: string): string {
  const language = interpreterOf(program) ?? program;
  if (isShell(program))
    return `Pass it behind the code: sh -c 'echo "$1"' sh {{x}}. What ssh runs can read it as input.`;
  if (/awk$/.test(program)) return "Pass it as a variable: awk -v x={{x}} '{ print x }'.";
  if (program === 'jq') return "Pass it as a variable: jq --arg x {{x}} '.[$x]'.";
  if (language.startsWith('python'))
    return "Pass it behind the code: python3 -c 'import sys; print(sys.argv[1])' {{x}}.";
  if (language === 'node') return "Pass it behind the code: node -e 'console.log(process.argv[1])' {{x}}.";
  if (program === 'psql') return "Pass it as a variable, psql -v x={{x}} -f query.sql, and write :'x' in the file.";
  return 'Put the code into a script file that reads its arguments, and run that with {{x}}.';
}
