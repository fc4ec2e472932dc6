import { findDataFolder } from '../../../config/data-folder.ts';
import { differencesOf } from '../../../config/differences.ts';
import { completed, type KeptVersion, keptVersions } from '../../../config/last-good.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { JsonValue } from '../../../lib/json.ts';
import { knownSecrets } from '../../read-data.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { checkText, keepIfGood } from './check-text.ts';
import { type ConfigFile, copyBeside, readConfigFile, replaceConfig } from './config-file.ts';
import { heldBefore, outcomeOf } from './held.ts';
import { differenceLines, differencesForPrograms, keysInShort } from './shown.ts';
import { turnedInto } from './turned-into.ts';
import { chosenVersion, formerVersion, whenKept, writtenValue } from './versions.ts';
import { configCommandWords } from './words.ts';

/** `config rollback [VERSION]`, and with `--list` what there is to go back to. */
export async function configRollback(context: CommandContext): Promise<number> {
  const {
    place,
    isOn,
    operands: [given],
  } = context;
  const versions = await keptVersions(place);
  const file = await readConfigFile(place);
  const text = file.bytes?.toString('utf8') ?? '';
  if (isOn('list')) return listVersions(versions, writtenValue(text), context);
  const version = given === undefined ? formerVersion(writtenValue(text), versions) : chosenVersion(given, versions);
  return goBack(version, { file, text }, context);
}

function listVersions(
  versions: readonly KeptVersion[],
  now: JsonValue | undefined,
  { asJson, print, language }: CommandContext,
): number {
  const say = configCommandWords[language];
  const rows = versions.map((version) => {
    const differences = now === undefined ? undefined : differencesOf(now, writtenValue(version.text));
    return { version, differences };
  });
  if (asJson) {
    const told = rows.map(({ version: { number, keptAt }, differences }) => ({
      version: number,
      kept_at: new Date(keptAt).toISOString(),
      differs: differences?.map(({ key }) => key) ?? null,
    }));
    print(JSON.stringify(told, undefined, 2));
    return exitCodes.done;
  }
  const lines = rows.map(({ version, differences }) =>
    say.versionLine({
      number: version.number,
      at: whenKept(version, language),
      differs: differences === undefined ? undefined : keysInShort(differences, language),
    }),
  );
  print(lines.length === 0 ? say.nothingKept : [...lines, say.howToGoBack].join('\n'));
  return exitCodes.done;
}

interface Present {
  readonly file: ConfigFile;
  readonly text: string;
}

async function goBack(version: KeptVersion, present: Present, context: CommandContext): Promise<number> {
  const { place, language, asJson, print, complain } = context;
  const { file, text } = present;
  const { present: value, dataFolder } = await findDataFolder(place);
  const { text: whole, lacking } = completed(version, value);
  const at = whenKept(version, language);
  if (lacking.length > 0)
    throw new UnansweredError(exitCodes.failed, (reader) =>
      configCommandWords[reader].lacksSecrets({ at, keys: lacking }),
    );
  const say = configCommandWords[language];
  const next = turnedInto(text, whole);
  const report = await checkText(Buffer.from(next), context);
  if (report.faults.length > 0) {
    complain(say.versionFaulty({ at }));
    for (const line of report.lines) complain(`  ${line}`);
    return exitCodes.wrongConfig;
  }
  const redact = await knownSecrets(context);
  const before = await heldBefore(context, dataFolder);
  const kept = await keepPresent(present, dataFolder, context);
  const differences = differencesOf(writtenValue(text) ?? {}, writtenValue(next));
  if (differences.length > 0 && !(await replaceConfig(file, Buffer.from(next))))
    throw new UnansweredError(exitCodes.failed, (reader) => configCommandWords[reader].changedMeanwhile);
  const outcome = await outcomeOf(report.config, context, { dataFolder, before });
  if (asJson)
    print(
      JSON.stringify(
        { version: version.number, differences: differencesForPrograms(differences, redact), outcome, kept },
        undefined,
        2,
      ),
    );
  else
    print(
      [
        say.wentBack({ file: file.path, at }),
        ...(differences.length === 0 ? [say.nothingDiffers] : differenceLines(differences, { language, redact })),
        ...(kept === undefined ? [] : [say.keptFaulty({ file: kept })]),
        outcome,
      ].join('\n'),
    );
  return exitCodes.done;
}

/** So that this can be taken back: among the versions, or beside the config if it is none. Gives the file in that case. */
async function keepPresent(
  { file }: Present,
  dataFolder: string,
  context: CommandContext,
): Promise<string | undefined> {
  if (file.bytes === undefined || (await keepIfGood(file, dataFolder, context))) return undefined;
  return copyBeside(file, file.bytes, systemClock.now());
}
