import type { DaemonSetting } from '../../../support/daemon-setting.ts';

/** Some hours before the test's clock begins. */
export const noon = Date.UTC(2023, 10, 14, 12);
export const minute = 60_000;

/** A call of a stored run. */
export interface StoredCall {
  readonly name: string;
  readonly outcome?: string;
  readonly arguments?: object;
  readonly result?: string;
  /** It was asked for, and this came of it. */
  readonly asked?: 'approved' | 'denied' | 'expired' | 'pending';
  /** The rule that let it run unasked. */
  readonly why?: string;
}

/** A run as a daemon of earlier has left it. */
export interface StoredRun {
  readonly by?: string;
  /** Default: the person's own chat. */
  readonly chat?: string;
  readonly at: number;
  readonly says: string;
  readonly answers?: string;
  /** In ms. */
  readonly took?: number;
  readonly calls?: readonly StoredCall[];
  readonly model?: string;
  readonly tokens?: number;
  readonly closing?: string;
}

/** Stores runs as if they had been, in this order, while no daemon works. */
export async function withRuns(daemon: DaemonSetting, runs: readonly StoredRun[]): Promise<void> {
  await daemon.stop();
  daemon.tamper(`BEGIN; ${runs.map(statements).join('\n')} COMMIT`);
  await daemon.start();
}

function statements(run: StoredRun, index: number): string {
  const {
    by = 'ada',
    at,
    says,
    answers = 'done',
    took = 1000,
    calls = [],
    model = 'scripted',
    tokens = 10,
    closing,
  } = run;
  const chat = run.chat ?? by;
  const [seq, turn] = [index + 1, index + 1];
  const [place, person] = [text(`test:${chat}`), text(`test:${by}`)];
  const parts = text(JSON.stringify([{ type: 'text', text: answers }]));
  const kind = closing === undefined ? `'turn', NULL` : `'closing', ${text(closing)}`;
  const day = text(new Date(at).toISOString().slice(0, 10));
  return [
    `INSERT OR IGNORE INTO conversations (id, channel, chat_id, kind, title, seen_at)
      VALUES (${place}, 'test', ${text(chat)}, '${chat === by ? 'direct' : 'group'}', ${chat === by ? 'NULL' : text(chat)}, ${at});`,
    `INSERT OR IGNORE INTO participants (conversation_id, principal, name) VALUES (${place}, ${person}, ${text(by)});`,
    `INSERT INTO inbox (seq, key, conversation_id, kind, principal, name, text, wants_answer, sent_at, received_at)
      VALUES (${seq}, 'seed:${seq}', ${place}, 'message', ${person}, ${text(by)}, ${text(says)}, 1, ${at}, ${at});`,
    `INSERT INTO turns (id, conversation_id, run_id, principal, kind, reason, seen_seq, parts, model, input_tokens, output_tokens, created_at)
      VALUES (${turn}, ${place}, 'run${seq}', ${person}, ${kind}, ${seq}, ${parts}, ${text(model)}, ${tokens}, 0, ${at + took});`,
    `INSERT INTO spending (day, principal, conversation_id, model, tokens, cost) VALUES (${day}, ${person}, ${place}, ${text(model)}, ${tokens}, ${tokens * 100})
      ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost;`,
    ...calls.flatMap((call, position) =>
      callStatements(call, { id: `call${seq}x${position}`, turn, position, place, person, seq }),
    ),
  ].join('\n');
}

interface CallPlace {
  readonly id: string;
  readonly turn: number;
  readonly position: number;
  readonly place: string;
  readonly person: string;
  readonly seq: number;
}

function callStatements(call: StoredCall, { id, turn, position, place, person, seq }: CallPlace): readonly string[] {
  const { name, outcome = 'success', arguments: args = {}, result = 'fine', asked, why } = call;
  const approval = asked === undefined ? 'NULL' : `'ask${id}'`;
  const detail = text(JSON.stringify(why === undefined ? {} : { why }));
  return [
    `INSERT INTO calls (id, turn_id, position, conversation_id, run_id, principal, name, arguments, category, state, outcome, result, duration, approval_id)
      VALUES ('${id}', ${turn}, ${position}, ${place}, 'run${seq}', ${person}, ${text(name)}, ${text(JSON.stringify(args))}, 'shell', 'done', '${outcome}', ${text(result)}, 5, ${approval});`,
    `INSERT INTO audit (at, kind, conversation_id, actor, call_id, detail) VALUES (0, 'call-proposed', ${place}, 'keyturn', '${id}', ${detail});`,
    ...(asked === undefined
      ? []
      : [
          `INSERT INTO approvals (id, call_id, conversation_id, requester, requester_name, tool_name, description, hash, grantable, state, places, created_at, expires_at)
            VALUES ('ask${id}', '${id}', ${place}, ${person}, 'x', ${text(name)}, 'x', 'x', 0, '${asked}', '[]', 0, 0);`,
        ]),
  ];
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
