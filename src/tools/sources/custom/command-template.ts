import { type Edit, placeholderSites } from './placeholder-sites.ts';
import { holdsMarks, masked, mostPlaceholders, type Placeholder, placeholdersIn } from './placeholders.ts';
import { placeholdersInPrograms } from './program-texts.ts';
import type { Site } from './site-list.ts';

/** A place for the value of a parameter. */
export interface Slot {
  readonly name: string;
  readonly site: Site;
}

/** A command for the shell with places for values, taken apart once: texts and slots in turn. */
export interface CommandTemplate {
  readonly pieces: readonly (string | Slot)[];
  /** With nothing filled in: what can be read of it for certain. */
  readonly masked: string;
}

export type TemplateReading =
  | { readonly valid: true; readonly template: CommandTemplate }
  /** Each says what to do about it. */
  | { readonly valid: false; readonly faults: readonly string[] };

/**
 * Reads a command in which `{{name}}` stands for the value of a parameter. It is valid only where every value, whatever it
 * is, can be given to the shell as data: as one argument, or a part of one.
 */
export function readTemplate(command: string, parameters: readonly string[]): TemplateReading {
  const placeholders = placeholdersIn(command);
  if (placeholders.length === 0) return { valid: true, template: { pieces: [command], masked: command } };
  const faults = [...unusable(command, placeholders), ...undeclared(placeholders, parameters)];
  if (faults.length > 0) return { valid: false, faults };
  const text = masked(command, placeholders);
  const { sites, refused, edits, fault } = placeholderSites(text, placeholders);
  if (fault !== undefined)
    return {
      valid: false,
      faults: [`As it takes values, there must be no doubt about how a shell reads it: ${fault}`],
    };
  const reasons = new Map([...placeholdersInPrograms(text), ...refused]);
  if (reasons.size > 0) return { valid: false, faults: explain(reasons, placeholders) };
  return { valid: true, template: { pieces: pieces(command, placeholders, { sites, edits }), masked: text } };
}

function unusable(command: string, placeholders: readonly Placeholder[]): readonly string[] {
  if (placeholders.length > mostPlaceholders) return [`There are more than ${mostPlaceholders} placeholders.`];
  return holdsMarks(command) ? ['It has a character of a private area of Unicode. Take it out.'] : [];
}

function undeclared(placeholders: readonly Placeholder[], parameters: readonly string[]): readonly string[] {
  const names = [...new Set(placeholders.map(({ name }) => name))].filter((name) => !parameters.includes(name));
  return names.map(
    (name) =>
      `{{${name}}} is none of the parameters. Declare it there; or if the program itself is to read {{${name}}}, set a variable to that in "env", and write "$NAME".`,
  );
}

function explain(reasons: ReadonlyMap<number, string>, placeholders: readonly Placeholder[]): readonly string[] {
  const lines = [...reasons].map(([index, reason]) => {
    const name = `{{${placeholders[index]?.name ?? ''}}}`;
    return `${name} ${reason.replaceAll('{{x}}', name)}`;
  });
  return [...new Set(lines)];
}

function pieces(
  command: string,
  placeholders: readonly Placeholder[],
  { sites, edits }: { readonly sites: ReadonlyMap<number, Site>; readonly edits: readonly Edit[] },
): readonly (string | Slot)[] {
  const slots = placeholders.flatMap(({ name, start, end }, index) => {
    const site = sites.get(index);
    return site === undefined ? [] : [{ start, end, piece: { name, site } }];
  });
  const changes = [...slots, ...edits.map(({ start, end, text }) => ({ start, end, piece: text }))];
  const result: (string | Slot)[] = [];
  let end = 0;
  for (const change of changes.sort((a, b) => a.start - b.start)) {
    result.push(command.slice(end, change.start), change.piece);
    end = change.end;
  }
  return [...result, command.slice(end)];
}
