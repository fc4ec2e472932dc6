import { z } from 'zod';
import { allComponents, checkCustomIds } from './components.ts';
import { ownMistake } from './form.ts';

/** A line or a field of a form. */
export interface ModalInput {
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
  /** As the bot made it. */
  readonly components: readonly unknown[];
}

const mostCharacters = 4000;

const input = z.looseObject({
  type: z.literal(4),
  custom_id: z.string().min(1).max(100),
  style: z.union([z.literal(1), z.literal(2)]),
  label: z.string().min(1).max(45).optional(),
  min_length: z.number().int().min(0).max(mostCharacters).optional(),
  max_length: z.number().int().min(1).max(mostCharacters).optional(),
  required: z.boolean().default(true),
  value: z.string().max(mostCharacters).optional(),
  placeholder: z.string().max(100).optional(),
});
const row = z
  .looseObject({ type: z.literal(1), components: z.array(input).length(1) })
  .superRefine(({ components }, context) => {
    if (components[0]?.label === undefined)
      context.addIssue(ownMistake('BASE_TYPE_REQUIRED', 'This field is required', ['components', 0, 'label']));
  });
const label = z.looseObject({ type: z.literal(18), label: z.string().min(1).max(45), component: input });
const text = z.looseObject({ type: z.literal(10), content: z.string().min(1).max(mostCharacters) });

export const modalForm = z.object({
  custom_id: z.string().min(1).max(100),
  title: z.string().min(1).max(45),
  components: z
    .array(z.discriminatedUnion('type', [row, label, text]))
    .min(1)
    .max(5)
    .superRefine(checkCustomIds),
});

export function shownModal({ custom_id: customId, title, components }: z.output<typeof modalForm>): ModalForm {
  const labels = components.flatMap((component) => (component.type === 18 ? [component] : []));
  const labelOf = (id: string): string => labels.find(({ component }) => component.custom_id === id)?.label ?? '';
  const inputs = allComponents(components)
    .filter(({ type }) => type === 4)
    .map((component) => input.parse(component))
    .map(({ custom_id: id, label: own, required, max_length: most = mostCharacters }) => ({
      customId: id,
      label: own ?? labelOf(id),
      isRequired: required,
      mostCharacters: most,
    }));
  return { customId, title, inputs, components };
}

/** What the person's client sends: each component as it was, with the value in place of everything else. */
export function filledComponents(components: readonly unknown[], values: Readonly<Record<string, string>>): unknown[] {
  return components.flatMap((value): object[] => {
    const component = filledForm.parse(value);
    const { type, components: inside, component: labelled, custom_id } = component;
    if (type === 4) return [{ type, id: 2, custom_id, value: values[custom_id ?? ''] ?? '' }];
    if (type === 1) return [{ type, id: 1, components: filledComponents(inside ?? [], values) }];
    if (type === 18) return [{ type, id: 1, component: filledComponents([labelled], values)[0] }];
    return [{ type, id: 1 }];
  });
}

const filledForm = z.looseObject({
  type: z.number(),
  custom_id: z.string().optional(),
  components: z.array(z.unknown()).optional(),
  component: z.unknown().optional(),
});
