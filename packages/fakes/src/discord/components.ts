import { z } from 'zod';

/** What stands on a button, and what a press of it sends. */
export interface ShownButton {
  readonly label: string;
  readonly data: string | undefined;
  readonly style: number;
  readonly disabled: boolean;
}

/** A line or a field of a form. */
interface ModalInput {
  readonly customId: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly mostCharacters: number;
}

/** A form that a person fills in. */
export interface ModalForm {
  readonly customId: string;
  readonly title: string;
  readonly inputs: readonly ModalInput[];
}

const customId = z.string().min(1).max(100);
/** Of all components that Discord takes, those that Keyturn sends: what is not here is refused. */
const button = z.strictObject({
  type: z.literal(2),
  style: z.int().min(1).max(4),
  label: z.string().min(1).max(80),
  custom_id: customId,
  disabled: z.boolean().default(false),
});
const row = z.strictObject({ type: z.literal(1), components: z.array(button).min(1).max(5) });

/** Rows of buttons below a message. */
export const rowsForm = z
  .array(row)
  .max(5)
  .refine((rows) => {
    const ids = rows.flatMap(({ components }) => components.map(({ custom_id }) => custom_id));
    return new Set(ids).size === ids.length;
  }, 'Component custom id cannot be duplicated');

const input = z.strictObject({
  type: z.literal(4),
  custom_id: customId,
  style: z.int().min(1).max(2),
  required: z.boolean().default(true),
  max_length: z.int().min(1).max(4000).default(4000),
  placeholder: z.string().max(100).optional(),
});
const label = z.strictObject({ type: z.literal(18), label: z.string().min(1).max(45), component: input });

export const modalForm = z
  .strictObject({ custom_id: customId, title: z.string().min(1).max(45), components: z.array(label).min(1).max(5) })
  .transform(
    ({ custom_id, title, components }): ModalForm => ({
      customId: custom_id,
      title,
      inputs: components.map(({ label: words, component }) => ({
        customId: component.custom_id,
        label: words,
        isRequired: component.required,
        mostCharacters: component.max_length,
      })),
    }),
  );

/** What the person's client sends. Throws what it would not let them send. */
export function filledComponents({ inputs }: ModalForm, values: Readonly<Record<string, string>>): readonly object[] {
  return inputs.map(({ customId: custom_id, label: words, isRequired, mostCharacters }) => {
    const value = values[custom_id] ?? '';
    if (value.length > mostCharacters || (isRequired && value === ''))
      throw new Error(`The form does not take "${value.slice(0, 20)}" for "${words}".`);
    return { type: 18, id: 1, component: { type: 4, id: 2, custom_id, value } };
  });
}

const shownRow = z.object({
  components: z.array(
    z.object({
      type: z.number(),
      label: z.string().default(''),
      custom_id: z.string().optional(),
      style: z.number().default(1),
      disabled: z.boolean().default(false),
    }),
  ),
});

/** The buttons from left to right and from top to bottom. */
export function flatButtons(components: readonly unknown[]): readonly ShownButton[] {
  return buttonRows(components).flat();
}

export function buttonRows(components: readonly unknown[]): readonly (readonly ShownButton[])[] {
  return z
    .array(shownRow)
    .parse(components)
    .map((shown) =>
      shown.components
        .filter(({ type }) => type === 2)
        .map(({ label: words, custom_id: data, style, disabled }) => ({ label: words, data, style, disabled })),
    );
}
