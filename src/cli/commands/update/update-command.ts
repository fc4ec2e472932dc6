/*
 * `update`: takes a newer version of the code, and goes back if that does not work. The order: stop the service, back up, put
 * the newer code in place, try it with copies, start the service with it. What was begun is noted beside the code before each
 * step, so that after a kill the next one goes back. Nothing is loaded after the code was replaced.
 */

import { existsSync, lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../lib/clock.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import { messageOf } from '../../../lib/plain-text.ts';
import { confirmed } from '../../confirmed.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { goneKeys } from './changes.ts';
import { claim, end, goBack, goBackFirst, refuseIfUnderWay } from './go-back.ts';
import { lastLines, type Newer } from './installation.ts';
import { readNote, type UpdateNote, writeNote } from './note.ts';
import { runOwn, runsAs, tryOut } from './trial.ts';
import { isSameFile, type OwnService, type UpdateParts, updateParts } from './update-parts.ts';
import { updateWords } from './words.ts';

/** `update`. */
export async function update(context: CommandContext): Promise<number> {
  const { option, isOn, language } = context;
  const say = updateWords[language];
  const backup = option('try');
  if (backup !== undefined) return (await import('./try-data.ts')).tryData(context, backup);
  const parts = updateParts(context);
  const { installation } = parts;
  const begun = readNote(installation.note);
  if (begun !== undefined) {
    if (!begun.isOver) return goBackFirst(begun, parts);
    refuseIfUnderWay(begun);
    if (!isOn('check')) tidyAfter(begun, parts);
  }
  const found = installation.look();
  // What was seen may be the work of another one, which has begun meanwhile.
  const faster = readNote(installation.note);
  if (faster !== undefined) refuseIfUnderWay(faster);
  switch (found.type) {
    case 'refused':
      throw new UnansweredError(exitCodes.failed, found.words);
    case 'newest':
      tell(parts, say.newest({ version: found.from.version }), { update: false, version: found.from.version });
      return exitCodes.done;
    case 'newer':
      return isOn('check') ? shown(found, parts) : take(found, parts);
  }
}

/** An update was killed when all was done, but the removal of what it had kept. */
function tidyAfter(note: UpdateNote, parts: UpdateParts): void {
  const mine = { ...note, pid: process.pid };
  claim(parts.installation.note, mine, note);
  end(mine, parts);
}

/** Tells a person, or gives a program all there is to know. */
function tell({ context: { asJson, print } }: UpdateParts, text: string, facts: object): void {
  print(asJson ? JSON.stringify(facts, undefined, 2) : text);
}

async function shown(newer: Newer, parts: UpdateParts): Promise<number> {
  const { from, to, changes } = newer;
  const gone = await keysGone(newer, parts);
  const facts = { update: true, version: from.version, newest: to.version, id: to.id, gone_keys: gone };
  tell(parts, await newsOf(newer, parts), { ...facts, changes: changes ?? null });
  return exitCodes.done;
}

async function newsOf(newer: Newer, parts: UpdateParts): Promise<string> {
  const say = updateWords[parts.context.language];
  const gone = await keysGone(newer, parts);
  const [from, to] = [newer.from, newer.to].map(({ version, id }) =>
    newer.from.version === newer.to.version ? `${version} (${id.slice(0, 10)})` : version,
  );
  const lines = [
    say.newer({ from: from ?? '', to: to ?? '' }),
    ...(newer.changes === undefined ? [] : [say.changes, '', newer.changes, '']),
    ...(gone.length === 0 ? [] : [say.goneKeys({ keys: gone })]),
  ];
  return lines.join('\n').trimEnd();
}

async function keysGone({ schemas }: Newer, { config: file }: UpdateParts): Promise<readonly string[]> {
  if (schemas === undefined || !existsSync(file)) return [];
  const { parse } = await import('jsonc-parser');
  return goneKeys(parse(await readFile(file, 'utf8'), [], { allowTrailingComma: true }) ?? null, schemas);
}

async function take(newer: Newer, parts: UpdateParts): Promise<number> {
  const { context, manager, service, installation, own } = parts;
  const { isOn, asJson, print, complain, language } = context;
  const say = updateWords[language];
  const hadService = service !== undefined && manager.state().isActive;
  if (hadService) refuseOtherConfig(service, parts);
  else refuseIfItRuns(parts);
  if (!isOn('yes')) {
    if (!asJson) print(await newsOf(newer, parts));
    if (!(await confirmed(say.askFirst, context))) {
      complain(say.addYes);
      return exitCodes.failed;
    }
  }
  const { from, to } = newer;
  const [, config] = own.config;
  const begun = { backup: undefined, replaced: false, touchedData: false, isOver: false };
  const note: UpdateNote = { from, to, config, hadService, ...begun, pid: process.pid };
  claim(installation.note, note, undefined);
  const outcome = await attempt(note, newer, parts).catch(
    (error: unknown): Outcome => ({ note: readNote(installation.note) ?? note, fault: messageOf(error) }),
  );
  if (outcome.fault !== undefined) return goBack(outcome.note, outcome.fault, parts);
  const text = [say.updated({ from: from.version, to: to.version }), ...(hadService ? [] : [say.startIt])].join('\n');
  tell(parts, text, { updated: true, from: from.version, to: to.version, backup: outcome.note.backup ?? null });
  end(outcome.note, parts);
  return exitCodes.done;
}

/** A process that is no service of this user could not be ended, nor started again. */
function refuseIfItRuns({ own }: UpdateParts): void {
  const status = runOwn(own, ['status', '--json']);
  if (status.code === exitCodes.notRunning) return;
  if (status.code === exitCodes.done)
    throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].runsOutside);
  const fault = status.stderr.trim() || status.stdout.trim();
  throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].unreachable({ fault }));
}

/** What is saved, tried and asked is what the service works with, or nothing begins. */
function refuseOtherConfig(service: OwnService, { own, config }: UpdateParts): void {
  if (service.config !== undefined && !isSameFile(service.config, config)) {
    const of = { config: service.config, named: config };
    throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].otherConfig(of));
  }
  const status = runOwn(own, ['status', '--json']);
  if (status.code === exitCodes.done) return;
  const fault = status.stderr.trim() || status.stdout.trim();
  throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].silentService({ config, fault }));
}

interface Outcome {
  readonly note: UpdateNote;
  /** Why it has to go back. Undefined: it works. */
  readonly fault: string | undefined;
}

async function attempt(begun: UpdateNote, newer: Newer, parts: UpdateParts): Promise<Outcome> {
  const { context, installation, manager, own, config } = parts;
  const say = updateWords[context.language];
  if (begun.hadService) {
    const fault = manager.pause();
    if (fault !== undefined) return { note: begun, fault: say.notStopped({ fault }) };
    tellStep(say.steps.stopping, context);
  }
  const saved = await backUp(parts);
  if (saved.fault !== undefined) return { note: begun, fault: say.notSaved({ fault: saved.fault }) };
  const kept = { ...begun, backup: saved.file };
  writeNote(installation.note, kept);
  if (saved.file !== undefined) tellStep(say.steps.saved({ file: saved.file }), context);
  const lacking = installation.keep(newer);
  if (lacking !== undefined) return { note: kept, fault: lacking };
  const note = { ...kept, replaced: true };
  writeNote(installation.note, note);
  const taken = installation.take(newer);
  if (taken !== undefined) return { note, fault: taken };
  tellStep(say.steps.taken, context);
  // What is tried is what will run.
  const unpacked = installation.pack();
  if (unpacked !== undefined) context.complain(unpacked(context.language));
  const trial = { backup: saved.file, hasConfig: existsSync(config), clock: systemClock, tooLate: say.tooLate };
  const unfit = await tryOut(own, trial);
  if (unfit !== undefined) return { note, fault: say.unfit(unfit) };
  tellStep(say.steps.tried({ hasData: saved.file !== undefined }), context);
  if (!begun.hadService) return { note, fault: undefined };
  const touched = { ...note, touchedData: true };
  writeNote(installation.note, touched);
  const refused = manager.start();
  if (refused !== undefined) return { note: touched, fault: say.unfit({ part: 'service', fault: refused }) };
  const runs = await runsAs(own, newer.to.version, systemClock);
  return { note: touched, fault: runs ? undefined : say.unfit({ part: 'service', fault: say.tooLate }) };
}

interface Saved {
  /** Undefined if there is nothing to save. */
  readonly file: string | undefined;
  readonly fault: string | undefined;
}

async function backUp({ own, config, context }: UpdateParts): Promise<Saved> {
  if (!(await hasData(config, context))) return { file: undefined, fault: undefined };
  const run = runOwn(own, ['backup', '--json']);
  const read = parseJson(run.stdout);
  if (run.code === 0 && isJsonObject(read) && typeof read.file === 'string')
    return { file: read.file, fault: undefined };
  const said = lastLines(run.stderr) || lastLines(run.stdout) || run.code;
  return { file: undefined, fault: `keyturn backup: ${said}` };
}

/** Also half of it, or what cannot be read. The code is still the former one: its packages can be loaded. */
async function hasData(path: string, { program }: CommandContext): Promise<boolean> {
  const { findDataFolder } = await import('../../../config/data-folder.ts');
  const { isRestoring } = await import('../../../store/backup/backup-format.ts');
  const { dataFolder } = await findDataFolder({ path, env: program.process.env });
  return isRestoring(dataFolder) || lstatSync(join(dataFolder, 'keyturn.db'), { throwIfNoEntry: false }) !== undefined;
}

/** Says how far it is, to people. */
function tellStep(text: string, { asJson, print }: CommandContext): void {
  if (!asJson) print(text);
}
