import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { proveAudit } from '../../src/store/audit-proof.ts';

type Row = Readonly<Record<string, unknown>>;

/** What the audit of a database lacks, or has too often: compared with the calls, approvals and permissions beside it. */
export function auditHoles(file: string): readonly string[] {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    const rows = (sql: string): readonly Row[] => sqlite.prepare<[], Row>(sql).all();
    const audit = rows('SELECT * FROM audit ORDER BY seq').map((row) => ({ ...row, ...detailOf(row) }));
    const proof = proveAudit(sqlite);
    return [
      ...(proof.type === 'whole' ? [] : [`chain: ${proof.type}`]),
      ...rows('SELECT * FROM calls').flatMap((call) => holesOfCall(call, audit)),
      ...rows('SELECT * FROM approvals').flatMap((approval) => holesOfApproval(approval, audit)),
      ...rows('SELECT * FROM grants').flatMap((grant) => holesOfGrant(grant, audit)),
    ];
  } finally {
    sqlite.close();
  }
}

function detailOf({ detail }: Row): Row {
  return { detail: JSON.parse(String(detail)) };
}

/** Whether a row has all of this: its columns, and its detail. */
function fits(row: Row, { detail = {}, ...columns }: Row): boolean {
  const inside = row.detail;
  const has = (object: unknown, key: string, value: unknown): boolean =>
    typeof object === 'object' && object !== null && JSON.stringify(Reflect.get(object, key)) === JSON.stringify(value);
  return (
    Object.entries(columns).every(([key, value]) => row[key] === value) &&
    Object.entries(detail ?? {}).every(([key, value]) => has(inside, key, value))
  );
}

/** A complaint if there are not so many rows of this kind about something, or if one of them is not as it should be. */
function expected(
  audit: readonly Row[],
  about: Row,
  { kind, count, like = {} }: { readonly kind: string; readonly count: number; readonly like?: Row },
): readonly string[] {
  const found = audit.filter((row) => row.kind === kind && fits(row, about));
  const what = `${kind} about ${JSON.stringify(about)}`;
  if (found.length !== count) return [`${what}: ${found.length} rows, not ${count}`];
  return found
    .filter((row) => !fits(row, like))
    .map((row) => `${what}: ${JSON.stringify(row)} is not like ${JSON.stringify(like)}`);
}

function holesOfCall(call: Row, audit: readonly Row[]): readonly string[] {
  const { id, name: tool, hash, principal: actor, run_id: run, state, outcome, result, begun_at: begunAt } = call;
  const about = { call_id: id };
  const isDone = state === 'done';
  const digest = isDone ? createHash('sha256').update(String(result)).digest('hex') : undefined;
  return [
    ...expected(audit, about, {
      kind: 'call-proposed',
      count: 1,
      like: { actor, conversation_id: call.conversation_id, detail: { tool, hash, run } },
    }),
    ...expected(audit, about, {
      kind: 'call-ended',
      count: isDone ? 1 : 0,
      like: { actor: 'keyturn', detail: { tool, outcome, result: digest } },
    }),
    ...(begunAt === null || audit.some((row) => row.kind === 'call-begun' && fits(row, about))
      ? []
      : [`${tool} began, and the audit does not say so`]),
  ];
}

const endings: Readonly<Record<string, string>> = {
  approved: 'approval-decided',
  denied: 'approval-decided',
  answered: 'question-answered',
  expired: 'approval-expired',
  cancelled: 'approval-cancelled',
};

function holesOfApproval(approval: Row, audit: readonly Row[]): readonly string[] {
  const { id, state, requester, decided_by: by, hash, extension } = approval;
  const about = { approval_id: id };
  const isDecided = state === 'approved' || state === 'denied';
  const ending = endings[String(state)];
  return [
    ...expected(audit, about, {
      kind: extension === null ? 'approval-asked' : 'extension-asked',
      count: 1,
      like: { actor: requester, ...(extension === null ? { detail: { hash } } : {}) },
    }),
    ...[...new Set(Object.values(endings))].flatMap((kind) =>
      expected(audit, about, {
        kind,
        count: kind === ending ? 1 : 0,
        like: { actor: by, ...(isDecided ? { detail: { approved: state === 'approved' } } : {}) },
      }),
    ),
  ];
}

function holesOfGrant({ id, granted_by: actor, revoked_at: revokedAt }: Row, audit: readonly Row[]): readonly string[] {
  const about = { detail: { grant: id } };
  return [
    ...expected(audit, about, { kind: 'grant-given', count: 1, like: { actor } }),
    ...expected(audit, about, { kind: 'grant-revoked', count: revokedAt === null ? 0 : 1 }),
  ];
}
