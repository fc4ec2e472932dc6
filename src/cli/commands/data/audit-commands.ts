import { findDataFolder } from '../../../config/data-folder.ts';
import { systemClock } from '../../../lib/clock.ts';
import { machineZone, offsetAt, readInstant, zonedWords } from '../../../lib/time-words.ts';
import type { Language } from '../../../lib/words.ts';
import type { AuditRow } from '../../../store/audit.ts';
import { type AuditProof, auditRows, hasHash, proveAudit } from '../../../store/audit-proof.ts';
import {
  type CallText,
  createTextReader,
  TextCount,
  type TextProof,
  type TextReader,
} from '../../../store/audit-texts.ts';
import { readBeside } from '../../../store/read-beside.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { dataCommandWords } from './words.ts';

/** How many rows are listed unless somebody says otherwise, and at most. */
const usual = 50;
const most = 100_000;

/** `audit`. */
export async function audit(context: CommandContext): Promise<number> {
  const { place, asJson, option, isOn, print, complain, language } = context;
  const say = dataCommandWords[language];
  const [given, number] = [option('since'), option('last')];
  const since = given === undefined ? undefined : sinceOf(given, systemClock.now());
  if (given !== undefined && since === undefined) {
    complain(say.notATime({ given }));
    return exitCodes.misused;
  }
  const wanted = number === undefined ? usual : Number(number);
  if (!(Number.isInteger(wanted) && wanted >= 1 && wanted <= most)) {
    complain(say.notANumber({ given: number ?? '' }));
    return exitCodes.misused;
  }
  const { dataFolder } = await findDataFolder(place);
  const filter = { since, person: option('person'), tool: option('tool'), most: wanted };
  await readBeside(dataFolder, (sqlite) => {
    const rows = auditRows(sqlite, filter);
    // A text is read right before it is printed: all of them may be larger than the memory.
    if (asJson) printJson(rows, createTextReader(sqlite), print);
    else if (rows.length === 0) print(say.noRows);
    else printLines(rows, isOn('whole') ? createTextReader(sqlite) : undefined, context);
  });
  return exitCodes.done;
}

/** A list, as `JSON.stringify` writes it. */
function printJson(rows: readonly AuditRow[], read: TextReader, print: CommandContext['print']): void {
  if (rows.length === 0) {
    print('[]');
    return;
  }
  print('[');
  for (const [index, row] of rows.entries()) {
    const item = JSON.stringify({ ...rowJson(row), ...textJson(read(row)) }, undefined, 2);
    print(item.replaceAll(/^/gm, '  ') + (index === rows.length - 1 ? '' : ','));
  }
  print(']');
}

function textJson(found: CallText | undefined): Readonly<Record<string, unknown>> {
  return found === undefined ? {} : { [found.of]: { verdict: found.verdict, text: found.text ?? null } };
}

function printLines(
  rows: readonly AuditRow[],
  read: TextReader | undefined,
  { print, language }: Pick<CommandContext, 'print' | 'language'>,
): void {
  const say = dataCommandWords[language];
  for (const row of rows) {
    print(rowLine(row));
    const found = read?.(row);
    if (found === undefined) continue;
    const { of, verdict, text } = found;
    print(`    ${say.textOf[of]} (${say.verdicts[verdict]})`);
    if (text !== undefined) print(text.replaceAll(/^/gm, '      '));
  }
}

/** A day or a time of this machine's zone, or how long ago: `24h`, `7d`. Undefined if it is none. */
export function sinceOf(given: string, now: number): number | undefined {
  const [, number, unit] = /^(\d{1,4})([hd])$/.exec(given) ?? [];
  if (number !== undefined) return now - Number(number) * (unit === 'h' ? 3_600_000 : 86_400_000);
  const { timeZone } = machineZone();
  return readInstant(/^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00` : given, timeZone);
}

function rowJson({ detail, callId, approvalId, conversationId, ...row }: AuditRow) {
  const { seq, at, kind, actor, hash } = row;
  const ids = { conversation: conversationId, call: callId ?? null, approval: approvalId ?? null };
  return { seq, at: new Date(at).toISOString(), kind, actor, ...ids, detail: JSON.parse(detail), hash };
}

function rowLine({ seq, at, kind, actor, callId, approvalId, detail }: AuditRow): string {
  const local = new Date(at + offsetAt(at, machineZone().timeZone)).toISOString().slice(0, 19).replace('T', ' ');
  const ids = [callId === undefined ? '' : `call=${callId}`, approvalId === undefined ? '' : `approval=${approvalId}`];
  return [seq, local, kind, actor, ...ids, detail === '{}' ? '' : detail].filter((part) => part !== '').join('  ');
}

/** `audit verify`. */
export async function auditVerify({ place, asJson, option, print, language }: CommandContext): Promise<number> {
  const { dataFolder } = await findDataFolder(place);
  const noted = option('contains')?.toLowerCase();
  const { proof, texts, isThere } = await readBeside(dataFolder, (sqlite) => {
    const count = new TextCount(createTextReader(sqlite));
    const found = proveAudit(sqlite, (row) => count.look(row));
    const has = noted === undefined || (found.type !== 'unchained' && hasHash(sqlite, noted));
    return { proof: found, texts: count.proof(), isThere: has };
  });
  if (asJson) {
    const contains = noted === undefined ? {} : { contains: isThere };
    print(JSON.stringify({ ...proof, ...contains, texts: textsJson(texts) }, undefined, 2));
  } else {
    print(proofWords(proof, language));
    if (proof.type === 'whole' && proof.rows > 0) print(dataCommandWords[language].auditHash({ hash: proof.hash }));
    for (const line of textLines(texts, language)) print(line);
    if (noted !== undefined && !isThere) print(dataCommandWords[language].auditLacks({ hash: noted }));
  }
  const isWhole = proof.type !== 'broken' && proof.type !== 'cut' && texts.differs === 0;
  return isWhole && isThere ? exitCodes.done : exitCodes.failed;
}

function textsJson({ changed, ...counts }: TextProof) {
  return { ...counts, changed: changed.map(({ seq, callId, of }) => ({ seq, call: callId, of })) };
}

/** What is found of the texts of calls; nothing if the audit has no call. */
function textLines({ changed, ...counts }: TextProof, language: Language): readonly string[] {
  const say = dataCommandWords[language];
  if (Object.values(counts).every((count) => count === 0)) return [];
  const named = changed.map(({ seq, callId, of }) => say.textChanged({ seq, callId, what: say.textOf[of] }));
  const unnamed = counts.differs - changed.length;
  return [say.textCounts(counts), ...named, ...(unnamed > 0 ? [say.textsChangedToo({ count: unnamed })] : [])];
}

export function proofWords(proof: AuditProof, language: Language): string {
  const say = dataCommandWords[language];
  switch (proof.type) {
    case 'whole':
      return proof.rows === 0 ? say.auditEmpty : say.auditWhole({ rows: proof.rows });
    case 'cut':
      return say.auditCut(proof);
    case 'unchained':
      return say.auditUnchained;
    case 'broken': {
      const { seq, at, kind } = proof;
      return say.auditBroken({ seq, kind, time: zonedWords(at, machineZone().timeZone, language) });
    }
  }
}
