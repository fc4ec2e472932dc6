/*
 * `update`: takes a newer version of the code, and goes back if that does not work. The order: stop the service, back up, put
 * the newer code in place, try it with copies, start the service with it. What was begun is noted beside the code before each
 * step, so that after a kill the next one goes back. Nothing is loaded after the code was replaced.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '../../../lib/clock.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import { ownFolder } from '../../../lib/own-version.ts';
import { messageOf } from '../../../lib/plain-text.ts';
import { confirmed } from '../../confirmed.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { managerHere } from '../service/manager-here.ts';
import type { ServiceManager } from '../service/service-manager.ts';
import { goneKeys } from './changes.ts';
import { clone } from './clone.ts';
import { globalPackage } from './global-package.ts';
import { faultOf, type Installation, kindOf, type Newer } from './installation.ts';
import { isUnderWay, readNote, removeNote, type UpdateNote, writeNote } from './note.ts';
import { type OwnProgram, runOwn, runsAs, tryOut } from './trial.ts';
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
  if (begun !== undefined) return goBackFirst(begun, parts);
  const found = installation.look();
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

interface UpdateParts {
  readonly context: CommandContext;
  readonly installation: Installation;
  readonly manager: ServiceManager;
  readonly own: OwnProgram;
}

function updateParts(context: CommandContext): UpdateParts {
  const { place, program } = context;
  const { env } = program.process;
  const folder = ownFolder();
  const kind = kindOf(folder);
  if (kind === 'other')
    throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].otherKind({ folder }));
  const start = join(folder, kind === 'clone' ? 'src/start.js' : 'src/packaged.js');
  return {
    context,
    installation: kind === 'clone' ? clone(folder, env) : globalPackage(folder, env),
    manager: managerHere(program.process, { allowsRoot: true }),
    own: {
      start,
      options: { cwd: program.process.cwd(), environment: env },
      config: place.explicit ? ['--config', resolve(place.cwd, place.path)] : [],
    },
  };
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

async function keysGone({ schemas }: Newer, { context: { place } }: UpdateParts): Promise<readonly string[]> {
  const file = resolve(place.cwd, place.path);
  if (schemas === undefined || !existsSync(file)) return [];
  const { parse } = await import('jsonc-parser');
  return goneKeys(parse(await readFile(file, 'utf8'), [], { allowTrailingComma: true }) ?? null, schemas);
}

async function take(newer: Newer, parts: UpdateParts): Promise<number> {
  const { context, manager } = parts;
  const { isOn, asJson, print, complain, language } = context;
  const say = updateWords[language];
  const hadService = existsSync(manager.file) && manager.state().isActive;
  refuseIfItRuns(hadService, parts);
  if (!isOn('yes')) {
    if (!asJson) print(await newsOf(newer, parts));
    if (!(await confirmed(say.askFirst, context))) {
      complain(say.addYes);
      return exitCodes.failed;
    }
  }
  const { from, to } = newer;
  const note: UpdateNote = { from, to, backup: undefined, hadService, touchedData: false, pid: process.pid };
  const outcome = await attempt(note, newer, parts).catch(
    (error: unknown): Outcome => ({ note: readNote(parts.installation.note) ?? note, fault: messageOf(error) }),
  );
  if (outcome.fault !== undefined) return goBack(outcome.note, outcome.fault, parts);
  parts.installation.tidy(from);
  removeNote(parts.installation.note);
  const text = [say.updated({ from: from.version, to: to.version }), ...(hadService ? [] : [say.startIt])].join('\n');
  tell(parts, text, { updated: true, from: from.version, to: to.version, backup: outcome.note.backup ?? null });
  return exitCodes.done;
}

/** A process that is no service of this user could not be ended, nor started again. */
function refuseIfItRuns(hadService: boolean, { own }: UpdateParts): void {
  if (hadService) return;
  const status = runOwn(own, ['status', '--json']);
  if (status.code === exitCodes.notRunning) return;
  if (status.code === exitCodes.done)
    throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].runsOutside);
  const fault = status.stderr.trim() || status.stdout.trim();
  throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].unreachable({ fault }));
}

interface Outcome {
  readonly note: UpdateNote;
  /** Why it has to go back. Undefined: it works. */
  readonly fault: string | undefined;
}

async function attempt(begun: UpdateNote, newer: Newer, parts: UpdateParts): Promise<Outcome> {
  const { context, installation, manager, own } = parts;
  const { language, place } = context;
  const say = updateWords[language];
  writeNote(installation.note, begun);
  if (begun.hadService) {
    const fault = manager.pause();
    if (fault !== undefined) return { note: begun, fault: say.notStopped({ fault }) };
    tellStep(say.steps.stopping, context);
  }
  const saved = backUp(own);
  if (saved.fault !== undefined) return { note: begun, fault: say.notSaved({ fault: saved.fault }) };
  const note = { ...begun, backup: saved.file };
  writeNote(installation.note, note);
  if (saved.file !== undefined) tellStep(say.steps.saved({ file: saved.file }), context);
  const taken = installation.take(newer);
  if (taken !== undefined) return { note, fault: taken };
  tellStep(say.steps.taken, context);
  const hasConfig = existsSync(resolve(place.cwd, place.path));
  const trial = { backup: saved.file, hasConfig, clock: systemClock, tooLate: say.tooLate };
  const unfit = await tryOut(own, trial);
  if (unfit !== undefined) return { note, fault: say.unfit(unfit) };
  tellStep(say.steps.tried, context);
  if (!begun.hadService) return { note, fault: undefined };
  const touched = { ...note, touchedData: true };
  writeNote(installation.note, touched);
  const refused = manager.start();
  if (refused !== undefined) return { note: touched, fault: say.unfit({ part: 'service', fault: refused }) };
  const runs = await runsAs(own, newer.to.version, systemClock);
  return { note: touched, fault: runs ? undefined : say.unfit({ part: 'service', fault: say.tooLate }) };
}

/** Of an installation that has no data yet, there is nothing to save. */
function backUp(own: OwnProgram): { readonly file: string | undefined; readonly fault: string | undefined } {
  const run = runOwn(own, ['backup', '--json']);
  const read = parseJson(run.stdout);
  if (run.code === 0 && isJsonObject(read) && typeof read.file === 'string')
    return { file: read.file, fault: undefined };
  const hasData = runOwn(own, ['runs', '--json', '--limit', '1']).code === 0;
  return { file: undefined, fault: hasData ? faultOf(run, 'keyturn backup') : undefined };
}

async function goBackFirst(note: UpdateNote, parts: UpdateParts): Promise<number> {
  const { context } = parts;
  const { isOn, complain, language } = context;
  const say = updateWords[language];
  const [from, to] = [note.from.version, note.to.version];
  const { pid } = note;
  if (isUnderWay(note))
    throw new UnansweredError(exitCodes.failed, (reader) => updateWords[reader].underWay({ from, to, pid }));
  complain(say.interrupted({ from, to }));
  if (isOn('check')) return exitCodes.failed;
  if (!isOn('yes') && !(await confirmed(say.goBackNow, context))) {
    complain(say.addYes);
    return exitCodes.failed;
  }
  const mine = { ...note, pid: process.pid };
  writeNote(parts.installation.note, mine);
  return goBack(mine, say.wasInterrupted, parts);
}

/** Code, dependencies and, if the newer version has changed them, the data are as before. */
async function goBack(note: UpdateNote, fault: string, parts: UpdateParts): Promise<number> {
  const { context, installation } = parts;
  const { complain, asJson, print, language } = context;
  const say = updateWords[language];
  const back = putBack(note, parts);
  if (back !== undefined) {
    complain(say.stuck({ fault, back, backup: note.backup }));
    return exitCodes.failed;
  }
  installation.tidy(note.from);
  removeNote(installation.note);
  const { version } = note.from;
  if (asJson) print(JSON.stringify({ updated: false, version, went_back: true, fault }, undefined, 2));
  else complain(say.wentBack({ fault, version }));
  return exitCodes.failed;
}

function putBack(note: UpdateNote, { installation, manager, own }: UpdateParts): string | undefined {
  const { backup, hadService, touchedData } = note;
  if (hadService && manager.state().isActive) {
    const fault = manager.pause();
    if (fault !== undefined) return fault;
  }
  const fault = installation.goBack(note.from);
  if (fault !== undefined) return fault;
  // What the former version can read, stays: it has what was said since.
  if (touchedData && backup !== undefined && runOwn(own, ['verify']).code !== 0) {
    const restored = faultOf(runOwn(own, ['restore', backup]), 'keyturn restore');
    if (restored !== undefined) return restored;
  }
  return hadService ? manager.start() : undefined;
}

/** Says how far it is, to people. */
function tellStep(text: string, { asJson, print }: CommandContext): void {
  if (!asJson) print(text);
}
