import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { InLanguage } from '../../../lib/words.ts';
import type { Workspace } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import { formatSize } from '../../text.ts';
import { marksIn, masked, mostPlaceholders, placeholdersIn } from '../parameters.ts';
import { placeholdersInCode } from './code-programs.ts';
import { placeholderSites, type Site } from './placeholder-sites.ts';
import { type PlaceholderFault, type TemplateFault, templateWords } from './words.ts';

interface Slot {
  readonly name: string;
  readonly site: Site;
}
export type CommandTemplate = readonly (string | Slot)[];

/** `faults`: each says how to mend it. `masked`: the command without values, for what can be read for certain. */
export type TemplateReading =
  | { readonly valid: true; readonly template: CommandTemplate; readonly masked: string }
  | { readonly valid: false; readonly faults: readonly InLanguage[] };

/**
 * Reads a command with `{{name}}` for the values of parameters. It is valid only if the shell gets any value as data:
 * as one argument, or a part of one.
 */
export function readTemplate(command: string, parameters: readonly string[]): TemplateReading {
  const placeholders = placeholdersIn(command);
  if (placeholders.length === 0) return { valid: true, template: [command], masked: command };
  if (placeholders.length > mostPlaceholders) return invalid({ type: 'too-many', most: mostPlaceholders });
  if (marksIn(command).length > 0) return invalid({ type: 'private-character' });
  const undeclared = [...new Set(placeholders.map(({ name }) => name))].filter((name) => !parameters.includes(name));
  if (undeclared.length > 0) return invalid(...undeclared.map((name) => ({ type: 'undeclared', name }) as const));
  const text = masked(command);
  const inCode = placeholdersInCode(text);
  if (typeof inCode === 'string') return invalid({ type: 'doubtful', doubt: inCode });
  const sites = placeholderSites(text);
  const template: (string | Slot)[] = [];
  const faults: TemplateFault[] = [];
  let begin = 0;
  for (const [index, { name, start, end }] of placeholders.entries()) {
    const site = sites.get(index);
    const isEscaped = site !== 'single' && /[\\$]/.test(text[start - 1] ?? '');
    const fault = inCode.get(index) ?? (isEscaped ? escaped : site === undefined ? noData : undefined);
    if (fault !== undefined) faults.push({ type: 'placeholder', name, fault });
    else if (site !== undefined) template.push(command.slice(begin, start), { name, site });
    begin = end;
  }
  if (faults.length > 0) return invalid(...faults);
  return { valid: true, template: [...template, command.slice(begin)], masked: text };
}

const escaped: PlaceholderFault = { why: 'escaped' };
const noData: PlaceholderFault = { why: 'no-data' };

/** Each fault is said once. */
function invalid(...faults: readonly TemplateFault[]): TemplateReading {
  const different = new Map(faults.map((fault) => [templateWords.en.fault(fault), fault]));
  return {
    valid: false,
    faults: [...different.values()].map((fault) => (language) => templateWords[language].fault(fault)),
  };
}

/** A command with its values. */
export interface FilledCommand {
  /** For the shell. It contains no values, but takes them as `$1`, `$2` … */
  readonly script: string;
  readonly args: readonly string[];
  /** With the values, quoted and without the middle of long ones, for people and for rules. */
  readonly written: string;
}

/**
 * Fills in values. A placeholder in quotes or beside other text becomes a part of one argument. Alone, it becomes one
 * argument, one per entry for a list, and none without a value. Objects, and lists that are not alone, become JSON.
 */
export function fillTemplate(template: CommandTemplate, values: JsonObject): FilledCommand {
  const args = new Map<string, string>();
  let script = '';
  let written = '';
  for (const piece of template) {
    const isText = typeof piece === 'string';
    const texts = isText ? [] : textsOf(piece, values);
    script += isText ? piece : texts.map((text) => reference(piece.site, variableOf(text, args))).join(' ');
    written += isText ? piece : texts.map((text) => quoted(piece.site, shortened(text))).join(' ');
  }
  // These variables hold in functions, too, and no program inherits them. They are set on the first line, so that the
  // shell's messages have the right line numbers.
  const names = [...args.values()].map((name, index) => `${name}=\${${index + 1}}`);
  const prologue = args.size === 0 ? '' : `${names.join(' ')}; shift ${args.size}; `;
  return { script: prologue + script, args: [...args.keys()], written };
}

/** The variable of a value: the same for the same value. */
function variableOf(value: string, args: Map<string, string>): string {
  const known = args.get(value) ?? `keyturn_${args.size + 1}`;
  args.set(value, known);
  return known;
}

function textsOf({ name, site }: Slot, values: JsonObject): readonly string[] {
  const value = Object.hasOwn(values, name) ? (values[name] ?? null) : null;
  if (site !== 'words') return [textOf(value)];
  if (value === null) return [];
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
}

function textOf(value: JsonValue): string {
  if (value === null) return '';
  // What UTF-8 cannot hold would change on the way.
  return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
}

/** No path, host name or option is longer. Of longer texts, the beginning shows the kind. */
const longestShown = 4096;

function shortened(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, 400)}…${text.slice(-100)}`.toWellFormed();
}

function reference(site: Site, variable: string): string {
  switch (site) {
    case 'words':
    case 'word':
      return `"$${variable}"`;
    case 'single':
      return `'"$${variable}"'`;
    case 'double':
      return `\${${variable}}`;
  }
}

function quoted(site: Site, text: string): string {
  switch (site) {
    case 'words':
    case 'word':
      return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
    case 'single':
      return text.replaceAll("'", "'\\''");
    case 'double':
      return text.replace(/[\\"$`]/g, '\\$&');
  }
}

/** Linux's limits, with a margin: for one argument, and for all with the environment, in bytes. */
const longestArgument = 128_000;
const mostArguments = 1_000_000;

/** Why a program can't be given these arguments, for the model. Undefined if it can. */
export function argumentFault({ script, args }: Pick<FilledCommand, 'script' | 'args'>): string | undefined {
  if (args.some((value) => value.includes('\0'))) {
    return 'An argument has a NUL character, which no program can be given. Leave it out.';
  }
  const sizes = [script, ...args].map((text) => Buffer.byteLength(text));
  if (sizes.some((size) => size > longestArgument)) {
    return `An argument is too long, or a list has too many entries: a program takes ${formatSize(longestArgument)} at most. Put what is long into a file.`;
  }
  if (sizes.reduce((sum, size) => sum + size, 0) > mostArguments) {
    return `The arguments are too long together: ${formatSize(mostArguments)} at most. Put what is long into a file.`;
  }
  return undefined;
}

/**
 * The real path of a folder in the workspace. Creates the workspace if it is missing. Throws `WorkspaceError` if there
 * is no such folder, or if it leads out.
 */
export async function innerFolder(workspace: Workspace, root: string, folder = '.'): Promise<string> {
  await workspace.prepare();
  if (folder === '.') return root;
  await workspace.list(folder, 0);
  const path = await realpath(join(root, folder));
  if (path === root || path.startsWith(`${root}${sep}`)) return path;
  throw new WorkspaceError(`The folder "${folder}" of this tool leads out of the workspace.`);
}
