import { findDataFolder } from '../../../config/data-folder.ts';
import { systemClock } from '../../../lib/clock.ts';
import { machineZone, offsetAt, readInstant, zonedWords } from '../../../lib/time-words.ts';
import type { Language } from '../../../lib/words.ts';
import type { AuditRow } from '../../../store/audit.ts';
import { type AuditProof, auditRows, hasHash, proveAudit } from '../../../store/audit-proof.ts';
import { readBeside } from '../../../store/read-beside.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { dataCommandWords } from './words.ts';

/** How many rows are listed unless somebody says otherwise, and at most. */
const usual = 50;
const most = 100_000;

/** `audit`. */
export async function audit(context: CommandContext): Promise<number> {
  const { place, asJson, option, print, complain, language } = context;
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
  const rows = readBeside(dataFolder, (sqlite) => auditRows(sqlite, filter));
  if (asJson) print(JSON.stringify(rows.map(rowJson), undefined, 2));
  else if (rows.length === 0) print(say.noRows);
  else for (const row of rows) print(rowLine(row));
  return exitCodes.done;
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
  const { proof, isThere } = readBeside(dataFolder, (sqlite) => {
    const found = proveAudit(sqlite);
    return { proof: found, isThere: noted === undefined || (found.type !== 'unchained' && hasHash(sqlite, noted)) };
  });
  if (asJson) {
    const contains = noted === undefined ? {} : { contains: isThere };
    print(JSON.stringify({ ...proof, ...contains }, undefined, 2));
  } else {
    print(proofWords(proof, language));
    if (proof.type === 'whole' && proof.rows > 0) print(dataCommandWords[language].auditHash({ hash: proof.hash }));
    if (noted !== undefined && !isThere) print(dataCommandWords[language].auditLacks({ hash: noted }));
  }
  return proof.type !== 'broken' && proof.type !== 'cut' && isThere ? exitCodes.done : exitCodes.failed;
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
