import { oneLine } from '../lib/plain-text.ts';
import type { FileLabel, FileLabelStore } from '../tools/file-watch.ts';
import type { Database } from './database.ts';
import { columns, insertInto, type Row, type Sql, text } from './sql.ts';

/** Marks files that strangers may have written. */
export function createFileLabelStore(database: Database): FileLabelStore {
  const { sql } = database;
  return {
    labelsIn: async (workspace) =>
      sql.list(toLabel, 'SELECT path, inode, source FROM file_labels WHERE workspace = ? ORDER BY path', workspace),
    began: (call, newest) =>
      database.writeNow(async (sql) => void (await insertWatch(sql, { ...call, newest: String(newest) }))),
    ended: ({ callId, workspace, conversationId }, { labelled, gone }) =>
      database.write(async (sql) => {
        for (const path of gone)
          await sql.run('DELETE FROM file_labels WHERE workspace = ? AND path = ?', ...[workspace, path]);
        for (const label of labelled) await labelFile(sql, { ...label, workspace, conversationId });
        await sql.run('DELETE FROM file_watches WHERE call_id = ?', callId);
      }, 'relaxed'),
    writtenBy: async (conversationId, workspace, path) =>
      (
        await sql.texts(
          'SELECT inode FROM file_labels WHERE workspace = ? AND path = ? AND conversation_id = ?',
          ...[workspace, path, conversationId],
        )
      )[0],
    left: async () => sql.list(toWatch, 'SELECT * FROM file_watches'),
  };
}

const insertWatch = insertInto(`file_watches (call_id, workspace, conversation_id, sources, newest)
  ON CONFLICT (call_id) DO NOTHING`);

/** Marks one file. An earlier mark of its path is replaced. */
export async function labelFile(
  sql: Sql,
  label: FileLabel & { readonly workspace: string; readonly conversationId: string },
): Promise<void> {
  await insertLabel(sql, { ...label, source: oneLine(label.source, 200) });
}

const insertLabel = insertInto(`file_labels (workspace, path, inode, source, conversation_id)
  ON CONFLICT (workspace, path) DO UPDATE SET inode = excluded.inode, source = excluded.source,
     conversation_id = excluded.conversation_id`);

/** Declares trusted what the conversation has read: also the files that it wrote or that bear these sources. */
export async function clearFileLabels(sql: Sql, conversationId: string, sources: readonly string[]): Promise<void> {
  await sql.run('DELETE FROM file_labels WHERE conversation_id = ?', conversationId);
  for (const source of sources) await sql.run('DELETE FROM file_labels WHERE source = ?', source);
}

const toLabel: (row: Row) => FileLabel = columns({ path: 'text', inode: 'text', source: 'text' });
const toWatch = columns({
  callId: 'text',
  workspace: 'text',
  conversationId: 'text',
  sources: 'texts',
  newest: (row) => BigInt(text(row, 'newest')),
});
