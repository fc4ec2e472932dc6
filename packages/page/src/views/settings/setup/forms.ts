/* The forms of the set-up, as lists of the keys that they set. What a form does not name stays as it is. */

import type { EditWire, WireValue } from '../../../../../../src/features/page/wire/settings.ts';
import type { ChoiceName, FieldName, GroupName } from './words.ts';

export type FormField = {
  readonly name: FieldName;
  readonly path: readonly string[];
} & (
  | { readonly kind: 'choice'; readonly choices: readonly ChoiceName[]; readonly mayBeUnset: boolean }
  | { readonly kind: 'number'; readonly mayBeUnset: boolean }
  | { readonly kind: 'text' | 'list' }
);

export interface Form {
  readonly name: GroupName;
  readonly fields: readonly FormField[];
}

export const forms: readonly Form[] = [
  {
    name: 'asking',
    fields: [
      {
        name: 'policy',
        path: ['approval', 'policy'],
        kind: 'choice',
        choices: ['require_for_dangerous', 'always_require', 'require_for_tools', 'always_allow'],
        mayBeUnset: false,
      },
      {
        name: 'sandbox',
        path: ['tools', 'shell', 'sandbox'],
        kind: 'choice',
        choices: ['auto', 'required', 'off'],
        mayBeUnset: false,
      },
    ],
  },
  { name: 'people', fields: [{ name: 'owners', path: ['owners'], kind: 'list' }] },
  {
    name: 'speech',
    fields: [
      { name: 'language', path: ['language'], kind: 'choice', choices: ['en', 'zh'], mayBeUnset: true },
      { name: 'timeZone', path: ['tools', 'schedule', 'time_zone'], kind: 'text' },
    ],
  },
  {
    name: 'budget',
    fields: [
      { name: 'tokensPerDay', path: ['budget', 'tokens_per_day'], kind: 'number', mayBeUnset: true },
      { name: 'tokensPerPerson', path: ['budget', 'tokens_per_person_per_day'], kind: 'number', mayBeUnset: true },
      { name: 'moneyPerDay', path: ['budget', 'money_per_day'], kind: 'number', mayBeUnset: true },
      { name: 'moneyPerPerson', path: ['budget', 'money_per_person_per_day'], kind: 'number', mayBeUnset: true },
      { name: 'currency', path: ['budget', 'currency'], kind: 'text' },
    ],
  },
  {
    name: 'data',
    fields: [
      { name: 'backups', path: ['data', 'backups'], kind: 'number', mayBeUnset: false },
      { name: 'keepDays', path: ['data', 'keep_days'], kind: 'number', mayBeUnset: false },
    ],
  },
];

/** A field as it is written in a form. */
export type Written = Readonly<Partial<Record<FieldName, string>>>;

export function writtenIn(config: WireValue, { path }: Pick<FormField, 'path'>): string {
  const value = path.reduce<WireValue | undefined>(
    (part, key) =>
      typeof part === 'object' && part !== null && !Array.isArray(part) ? Reflect.get(part, key) : undefined,
    config,
  );
  if (Array.isArray(value)) return value.join('\n');
  return value === undefined || value === null ? '' : String(value);
}

/** What is not a value of its kind. */
export function isWrong(field: FormField, text: string): boolean {
  if (field.kind !== 'number') return false;
  return text.trim() === '' ? !field.mayBeUnset : !Number.isFinite(Number(text));
}

/** Only what differs from the config. */
export function editsOf({ fields }: Form, written: Written, config: WireValue): readonly EditWire[] {
  return fields.flatMap((field): readonly EditWire[] => {
    const text = written[field.name];
    if (text === undefined || text === writtenIn(config, field)) return [];
    const value = valueIn(field, text);
    return value === undefined ? [{ path: field.path }] : [{ path: field.path, value }];
  });
}

/** Undefined: the key is taken out, and the default holds. */
function valueIn({ kind }: FormField, text: string): WireValue | undefined {
  if (kind === 'list')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  if (text.trim() === '') return undefined;
  return kind === 'number' ? Number(text) : text.trim();
}
