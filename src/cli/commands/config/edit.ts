import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { editsFolderOf, findDataFolder } from '../../../config/data-folder.ts';
import { differencesOf } from '../../../config/differences.ts';
import { systemClock } from '../../../lib/clock.ts';
import { programOnPath } from '../../../lib/programs.ts';
import { knownSecrets } from '../../read-data.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { type CheckedText, checkText, keepIfGood } from './check-text.ts';
import { type ConfigFile, copyBeside, readConfigFile, removeCopy, replaceConfig } from './config-file.ts';
import { heldBefore, outcomeOf } from './held.ts';
import { differenceLines } from './shown.ts';
import { writtenValue } from './versions.ts';
import { configCommandWords } from './words.ts';

/** What an editor opens if there is no config yet. */
const emptyConfig = '{\n}\n';

/** A copy in the person's editor. */
interface Editing {
  readonly file: ConfigFile;
  readonly copy: string;
  readonly begun: Buffer;
  readonly editor: string;
}

/** `config edit`: the person's editor on a copy, which becomes the config once it can be used. */
export async function configEdit(context: CommandContext): Promise<number> {
  const { program, place, complain, language } = context;
  const { stdin, stdout, env } = program.process;
  if (stdin.isTTY !== true || stdout.isTTY !== true)
    throw new UnansweredError(exitCodes.failed, (reader) => configCommandWords[reader].needsTerminal);
  const editor = editorOf(env);
  const file = await readConfigFile(place);
  const left = await copiesLeft(file);
  if (left.length > 0) complain(configCommandWords[language].copiesLeft({ folder: editsFolderOf(file.path), left }));
  const begun = file.bytes ?? Buffer.from(emptyConfig);
  const copy = await copyBeside(file, begun, systemClock.now());
  return editRounds({ file, copy, begun, editor }, context);
}

/** Of `VISUAL` and `EDITOR`; else one that is there. Throws `UnansweredError`. */
function editorOf({ VISUAL, EDITOR, PATH }: NodeJS.ProcessEnv): string {
  const found = [VISUAL, EDITOR].find((one) => one !== undefined && one.trim() !== '');
  const usual = ['nano', 'vim', 'vi'].find((name) => programOnPath(name, PATH) !== undefined);
  const editor = found ?? usual;
  if (editor !== undefined) return editor;
  throw new UnansweredError(exitCodes.failed, (reader) => configCommandWords[reader].noEditor);
}

async function copiesLeft({ path }: ConfigFile): Promise<readonly string[]> {
  const folder = editsFolderOf(path);
  return existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.json')) : [];
}

/** Until the copy can be used, or the person ends it. */
async function editRounds(editing: Editing, context: CommandContext): Promise<number> {
  const { copy, begun } = editing;
  const { print, complain, language } = context;
  const say = configCommandWords[language];
  for (;;) {
    const code = await runEditor(editing);
    const bytes = await readFile(copy).catch(() => undefined);
    if (bytes === undefined || bytes.equals(begun)) {
      await removeCopy(copy);
      if (code === 0) print(say.nothingChanged);
      else complain(say.editorFailed({ editor: editing.editor, code, file: undefined }));
      return code === 0 ? exitCodes.done : exitCodes.failed;
    }
    if (code !== 0) {
      complain(say.editorFailed({ editor: editing.editor, code, file: copy }));
      return exitCodes.failed;
    }
    const checked = await checkText(bytes, context);
    if (checked.faults.length === 0) return takeOver(bytes, checked, editing, context);
    print([say.unusable, ...checked.lines.map((line) => `  ${line}`)].join('\n'));
    const answer = await whatNow(context);
    if (answer === 'again') continue;
    if (answer === 'drop') await removeCopy(copy);
    print(answer === 'drop' ? say.thrownAway : say.keptCopy({ file: copy }));
    return exitCodes.wrongConfig;
  }
}

/** The exit code of the editor; its words may have options: `code --wait`. */
async function runEditor({ editor, copy }: Pick<Editing, 'editor' | 'copy'>): Promise<number> {
  const stay = (): void => undefined;
  // Keys such as ctrl-c are the editor's, and reach this process, too.
  process.on('SIGINT', stay);
  try {
    const child =
      process.platform === 'win32'
        ? spawn(editor, [`"${copy}"`], { shell: true, stdio: 'inherit' })
        : spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, copy], { stdio: 'inherit' });
    const [code]: unknown[] = await once(child, 'close');
    return typeof code === 'number' ? code : 1;
  } finally {
    process.off('SIGINT', stay);
  }
}

type Answer = 'again' | 'keep' | 'drop';

/** Whoever ends the question keeps the copy. */
async function whatNow({ language }: Pick<CommandContext, 'language'>): Promise<Answer> {
  const { select, isCancel } = await import('@clack/prompts');
  const say = configCommandWords[language].question;
  const answer = await select<Answer>({
    message: say.whatNow,
    options: [
      { value: 'again', label: say.again },
      { value: 'keep', label: say.keep },
      { value: 'drop', label: say.drop },
    ],
    // The library has them in English alone.
    showInstructions: false,
  });
  return isCancel(answer) ? 'keep' : answer;
}

/** Puts the copy in the place of the config, and tells what came of it. */
async function takeOver(
  bytes: Buffer,
  { warnings, config }: CheckedText,
  { file, copy }: Editing,
  context: CommandContext,
): Promise<number> {
  const { place, print, complain, language } = context;
  const say = configCommandWords[language];
  const redact = await knownSecrets(context);
  const { dataFolder } = await findDataFolder(place);
  const before = await heldBefore(context, dataFolder);
  const old = file.bytes?.toString('utf8') ?? '';
  await keepIfGood(file, dataFolder, context);
  if (!(await replaceConfig(file, bytes))) {
    complain(`${say.changedMeanwhile} ${say.keptCopy({ file: copy })}`);
    return exitCodes.failed;
  }
  await removeCopy(copy);
  const differences = differencesOf(writtenValue(old) ?? {}, writtenValue(bytes.toString('utf8')));
  print(
    [
      say.written({ file: file.path }),
      ...(differences.length === 0 ? [say.onlyForm] : differenceLines(differences, { language, redact })),
      ...warnings.map((text) => say.warning({ text })),
    ].join('\n'),
  );
  print(await outcomeOf(config, context, { dataFolder, before }));
  return exitCodes.done;
}
