import { z } from 'zod';
import { ownMistake } from './form.ts';

/** What stands on a button, and what a press of it sends. */
export interface ShownButton {
  readonly label: string;
  /** Undefined for a button that sends nothing, such as a link. */
  readonly data: string | undefined;
  readonly style: number;
  readonly disabled: boolean;
}

const mostInV2 = 40;
const mostTextInV2 = 4000;
const id = z.number().int().optional();
const customId = z.string().min(1).max(100);

const button = z
  .looseObject({
    type: z.literal(2),
    id,
    style: z.number().int().min(1).max(6),
    label: z.string().max(80).optional(),
    emoji: z.looseObject({}).optional(),
    custom_id: customId.optional(),
    url: z.string().max(512).optional(),
    disabled: z.boolean().default(false),
  })
  .superRefine(({ style, label = '', emoji, custom_id, url }, context) => {
    const isLink = style === 5;
    if (isLink && url === undefined) context.addIssue(ownMistake('BASE_TYPE_REQUIRED', 'A url is required', ['url']));
    if (isLink && custom_id !== undefined)
      context.addIssue(ownMistake('BASE_TYPE_BAD', 'A custom id and url cannot both be specified', ['custom_id']));
    if (!isLink && style !== 6 && custom_id === undefined)
      context.addIssue(ownMistake('BASE_TYPE_REQUIRED', 'A custom id is required', ['custom_id']));
    if (label === '' && emoji === undefined)
      context.addIssue(ownMistake('BUTTON_COMPONENT_INVALID', 'A button must have a label or an emoji', ['label']));
  });

const choice = z.looseObject({ label: z.string().min(1).max(100), value: z.string().min(1).max(100) });
const select = z.looseObject({
  type: z.union([z.literal(3), z.literal(5), z.literal(6), z.literal(7), z.literal(8)]),
  id,
  custom_id: customId,
  placeholder: z.string().max(150).optional(),
  options: z.array(choice).min(1).max(25).optional(),
});
const row = z
  .looseObject({
    type: z.literal(1),
    id,
    components: z
      .array(z.union([button, select]))
      .min(1)
      .max(5),
  })
  .superRefine(({ components }, context) => {
    if (components.length > 1 && components.some(({ type }) => type !== 2))
      context.addIssue(
        ownMistake('COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width'),
      );
  });
const text = z.looseObject({ type: z.literal(10), id, content: z.string().min(1).max(mostTextInV2) });
const media = z.looseObject({ url: z.string().min(1) });
const thumbnail = z.looseObject({ type: z.literal(11), id, media });
const section = z.looseObject({
  type: z.literal(9),
  id,
  components: z.array(text).min(1).max(3),
  accessory: z.union([button, thumbnail]),
});
const gallery = z.looseObject({ type: z.literal(12), id, items: z.array(z.looseObject({ media })).min(1).max(10) });
const file = z.looseObject({ type: z.literal(13), id, file: media });
const separator = z.looseObject({ type: z.literal(14), id });
const inContainer = [row, text, section, gallery, file, separator] as const;
const container = z.looseObject({
  type: z.literal(17),
  id,
  accent_color: z.number().int().min(0).max(0xffffff).nullish(),
  components: z.array(z.discriminatedUnion('type', inContainer)).min(1),
});

/** Rows of buttons below a plain message. */
export const legacyComponentsForm = z.array(row).max(5).superRefine(checkCustomIds);

/** What a message of the second kind is made of. */
export const v2ComponentsForm = z
  .array(z.discriminatedUnion('type', [...inContainer, container]))
  .min(1)
  .superRefine((components, context) => {
    checkCustomIds(components, context);
    if (allComponents(components).length > mostInV2)
      context.addIssue(ownMistake('BASE_TYPE_MAX_LENGTH', `Must be ${mostInV2} or fewer in length.`));
    const length = componentTexts(components).reduce((sum, part) => sum + part.length, 0);
    if (length > mostTextInV2)
      context.addIssue(ownMistake('COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', `Must be ${mostTextInV2} or fewer.`));
  });

const anyComponent = z.looseObject({
  type: z.number(),
  components: z.array(z.unknown()).optional(),
  accessory: z.unknown().optional(),
  component: z.unknown().optional(),
  content: z.string().optional(),
  custom_id: z.string().optional(),
  label: z.string().optional(),
  style: z.number().optional(),
  disabled: z.boolean().optional(),
});

type AnyComponent = z.output<typeof anyComponent>;

/** Every component with those inside of it, from top to bottom. */
export function allComponents(components: readonly unknown[]): readonly AnyComponent[] {
  return components.flatMap((value) => {
    const component = anyComponent.parse(value);
    const { components: inside = [], accessory, component: labelled } = component;
    const parts = [...inside, accessory, labelled].filter((part) => part !== undefined);
    return [component, ...allComponents(parts)];
  });
}

export function componentTexts(components: readonly unknown[]): readonly string[] {
  return allComponents(components).flatMap(({ type, content }) =>
    type === 10 && content !== undefined ? [content] : [],
  );
}

/** The buttons from left to right and from top to bottom. */
export function flatButtons(components: readonly unknown[]): readonly ShownButton[] {
  return allComponents(components)
    .filter(({ type }) => type === 2)
    .map(({ label = '', custom_id: data, style = 1, disabled = false }) => ({ label, data, style, disabled }));
}

export function checkCustomIds(components: readonly unknown[], context: z.core.$RefinementCtx): void {
  const ids = allComponents(components).flatMap(({ custom_id: given }) => given ?? []);
  if (new Set(ids).size < ids.length)
    context.addIssue(ownMistake('COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated'));
}
