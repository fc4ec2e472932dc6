import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { checkBlocks } from './blocks.ts';
import type { Identifiers } from './identifiers.ts';
import { anyObject, read, structure } from './parameters.ts';
import { explained, Refusal } from './refusal.ts';
import type { ScaledTime } from './scaled-time.ts';
import type { Installation } from './workspace-options.ts';

/** A modal as a person sees it. */
export interface Modal {
  readonly id: string;
  readonly hash: string;
  readonly userId: string;
  readonly title: string;
  readonly callbackId: string;
  readonly privateMetadata: string;
  readonly blocks: readonly JsonObject[];
  /** What the app gave. */
  readonly view: JsonObject;
  readonly isOpen: boolean;
}

interface Dependencies {
  readonly installation: Installation;
  readonly identifiers: Identifiers;
  readonly triggers: Triggers;
}

type Params = Readonly<Record<string, unknown>>;

const title = z.strictObject({
  type: z.literal('plain_text'),
  text: z.string().min(1).max(24),
  emoji: z.boolean().optional(),
});
const viewSchema = z.strictObject({
  ...{ type: z.literal('modal'), title, submit: title.optional(), close: title.optional(), blocks: z.array(anyObject) },
  ...{ private_metadata: z.string().max(3000).default(''), callback_id: z.string().max(255).default('') },
  ...{ clear_on_close: z.boolean().default(false), notify_on_close: z.boolean().default(false) },
  ...{ external_id: z.string().max(255).optional(), submit_disabled: z.boolean().optional() },
});
const view = structure(anyObject);
const openParameters = z.strictObject({ trigger_id: z.string(), view });
/** The methods for modals, and those that stand before people. */
export class Modals {
  readonly #dependencies: Dependencies;
  readonly #modals = new Map<string, Modal>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  open(params: Params): JsonObject {
    const given = read(openParameters, params, { trigger_id: 'invalid_trigger_id' });
    const shown = contentOf(given.view);
    const userId = this.#dependencies.triggers.exchange(given.trigger_id);
    return {
      view: this.wire(this.#keep({ ...shown, ...this.#named(this.#dependencies.identifiers.next('V')), userId })),
    };
  }

  /** What the person has before the eyes, if anything. */
  shownTo(userId: string): Modal | undefined {
    return [...this.#modals.values()].findLast((modal) => modal.userId === userId && modal.isOpen);
  }

  close(modal: Modal): void {
    this.#keep({ ...modal, isOpen: false });
  }

  forget(): void {
    this.#modals.clear();
  }

  /** As answers and payloads tell of it. */
  wire(modal: Modal, values: JsonObject = {}): JsonObject {
    const { teamId: team_id, appId: app_id, botId: bot_id } = this.#dependencies.installation;
    return {
      ...{ submit: null, close: null, ...modal.view },
      ...{ id: modal.id, hash: modal.hash, team_id, app_id, app_installed_team_id: team_id, bot_id },
      ...{ blocks: modal.blocks, callback_id: modal.callbackId, private_metadata: modal.privateMetadata },
      ...{ notify_on_close: false, state: { values }, root_view_id: modal.id, previous_view_id: null },
    };
  }

  #named(id: string): Pick<Modal, 'id' | 'hash'> {
    return { id, hash: this.#dependencies.identifiers.next('hash-') };
  }

  #keep(modal: Modal): Modal {
    this.#modals.set(modal.id, modal);
    return modal;
  }
}

function contentOf(given: JsonObject): Omit<Modal, 'id' | 'hash' | 'userId'> {
  const result = viewSchema.safeParse(given);
  if (!result.success) {
    throw explained(
      'invalid_arguments',
      ...result.error.issues.map(({ path, message }) => `${message} [json-pointer:/view/${path.join('/')}]`),
    );
  }
  const { title: heading, callback_id, private_metadata, blocks, submit } = result.data;
  const checked = checkBlocks(blocks, 'modal');
  const asks = checked.some(({ type }) => type === 'input');
  if (asks && submit === undefined)
    throw explained('invalid_arguments', 'missing required field: submit [json-pointer:/view]');
  return {
    ...{
      title: heading.text,
      callbackId: callback_id,
      privateMetadata: private_metadata,
      blocks: checked,
      view: given,
    },
    isOpen: true,
  };
}

const lifetime = 3;

/** What an act of a person allows: a modal, once, and soon. */
export class Triggers {
  readonly #time: ScaledTime;
  readonly #triggers = new Map<string, { readonly userId: string; readonly at: number; isUsed: boolean }>();
  #issued = 0;

  constructor(time: ScaledTime) {
    this.#time = time;
  }

  issue(userId: string): string {
    this.#issued += 1;
    const id = `${this.#issued}.1000.${'f'.repeat(32)}`;
    this.#triggers.set(id, { userId, at: this.#time.now(), isUsed: false });
    return id;
  }

  /** Gives whose act it was. Throws a refusal. */
  exchange(id: string): string {
    const trigger = this.#triggers.get(id);
    if (trigger === undefined) throw new Refusal('invalid_trigger_id');
    if (this.#time.isOver(trigger.at, lifetime)) throw new Refusal('expired_trigger_id');
    if (trigger.isUsed) throw new Refusal('exchanged_trigger_id');
    trigger.isUsed = true;
    return trigger.userId;
  }
  /** None that was issued holds any more. */
  forget(): void {
    this.#triggers.clear();
  }
}
