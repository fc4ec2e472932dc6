import { lstatSync, realpathSync } from 'node:fs';
import { type JsonObject, type JsonValue, jsonCopy, parseJson } from '../../lib/json.ts';
import { foreignRows } from '../../store/foreign-database.ts';
import { type Gathering, isWithin, shortName } from './gathering.ts';
import { migrateWords } from './words.ts';

/** A copy is made of it. In bytes. */
const mostCopied = 1_000_000_000;
const mostRows = 20_000;

/** The rows of a table as JSON, texts that are JSON read; none if there is no such file. What cannot be read, `left` says. */
export function tableOf(path: string, table: string, gathered: Gathering): readonly JsonObject[] {
  const file = shortName(path, gathered);
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (!entry.isFile()) {
    gathered.left.push({ what: file, file, why: (language) => migrateWords[language].noFile });
    return [];
  }
  if (!isWithin(realpathSync(path), realpathSync(gathered.folder))) {
    gathered.left.push({ what: file, file, why: (language) => migrateWords[language].linkOut });
    return [];
  }
  const { size } = entry;
  if (size > mostCopied) {
    gathered.left.push({
      what: file,
      file,
      why: (language) => migrateWords[language].tooLarge({ size, most: mostCopied }),
    });
    return [];
  }
  const found = foreignRows(path, table, mostRows);
  if (found.type === 'rows') return found.rows.map(readRow);
  const { code } = found;
  gathered.left.push({
    what: file,
    file,
    why: (language) =>
      code === undefined ? migrateWords[language].noDatabase : migrateWords[language].unreadable({ code }),
  });
  return [];
}

function readRow(row: Readonly<Record<string, unknown>>): JsonObject {
  const plain = Object.entries(row).filter(([, value]) => ['string', 'number'].includes(typeof value));
  return jsonCopy(Object.fromEntries(plain), (key, part) => (key === '' ? part : unfolded(part)));
}

function unfolded(part: JsonValue): JsonValue {
  return typeof part === 'string' && /^\s*\{/.test(part) ? (parseJson(part) ?? part) : part;
}
