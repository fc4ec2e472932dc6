import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { CommandTemplate, Slot } from './command-template.ts';
import type { Site } from './site-list.ts';

/** A command with its values. */
export interface FilledCommand {
  /** What the shell runs. No value is in it: it takes them as `$1`, `$2` … */
  readonly script: string;
  readonly args: readonly string[];
  /** The same with the values in it, quoted, and without the middle of long ones: for people, and for rules that read it. */
  readonly written: string;
}

/**
 * Fills in values. What stands in quotes, or beside other text, becomes a part of one argument; what stands alone is one
 * argument, of a list one for each entry, and none where there is no value. Objects, and lists that do not stand alone, are
 * JSON.
 */
export function fillTemplate({ pieces }: CommandTemplate, values: JsonObject): FilledCommand {
  const args = new Map<string, string>();
  const variableOf = (value: string): string => {
    const known = args.get(value) ?? `keyturn_${args.size + 1}`;
    args.set(value, known);
    return known;
  };
  let script = '';
  let written = '';
  for (const piece of pieces) {
    const isText = typeof piece === 'string';
    const texts = isText ? [] : textsOf(piece, values);
    script += isText ? piece : texts.map((text) => reference(piece.site, variableOf(text))).join(' ');
    written += isText ? piece : texts.map((text) => quoted(piece.site, shortened(text))).join(' ');
  }
  return { script: prologue(args.size) + script, args: [...args.keys()], written };
}

/**
 * Names for the arguments that hold everywhere in the script, in its functions too, and that no program inherits. On the
 * first line, so that messages of the shell name the right one.
 */
function prologue(count: number): string {
  if (count === 0) return '';
  const names = Array.from({ length: count }, (_, index) => `keyturn_${index + 1}=\${${index + 1}}`);
  return `${names.join(' ')}; shift ${count}; `;
}

function textsOf({ name, site }: Slot, values: JsonObject): readonly string[] {
  const value = Object.hasOwn(values, name) ? (values[name] ?? null) : null;
  if (site.type !== 'words') return [textOf(value)];
  if (value === null) return [];
  return isList(value) ? value.map(textOf) : [textOf(value)];
}

function textOf(value: JsonValue): string {
  if (value === null) return '';
  // What UTF-8 cannot hold would become something else on the way.
  return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** No path, name of a host or option is longer: of what is, the kind shows at its beginning. */
const longestShown = 4096;

function shortened(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, 400)}…${text.slice(-100)}`.toWellFormed();
}

function reference({ type }: Site, variable: string): string {
  switch (type) {
    case 'words':
    case 'word':
      return `"$${variable}"`;
    case 'single':
      return `'"$${variable}"'`;
    case 'double':
    case 'here':
      return `\${${variable}}`;
  }
}

function quoted(site: Site, text: string): string {
  switch (site.type) {
    case 'words':
    case 'word':
      return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
    case 'single':
      return text.replaceAll("'", "'\\''");
    case 'double':
      return text.replace(/[\\"$`]/g, '\\$&');
    case 'here':
      return text.replace(/[\\$`]/g, '\\$&').replace(linesWith(site.delimiter), ' $&');
  }
}

/** Such a line would seem to end the here-document. */
function linesWith(delimiter: string): RegExp {
  return new RegExp(`^\\t*${delimiter.replaceAll(/[^\w]/g, '\\$&')}$`, 'gm');
}
