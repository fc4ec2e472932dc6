import type { Origin } from '../approval/approval.ts';
import type { ApprovalBroker } from '../approval/broker.ts';
import { parseAction } from '../approval/card.ts';
import { parseAnswer } from '../approval/question-card.ts';
import type { Questions } from '../approval/questions.ts';
import type { InboundAction, Receipt } from '../contract.ts';
import type { CrashPoints } from '../lib/crash-points.ts';

export interface PressDependencies {
  readonly broker: ApprovalBroker;
  readonly questions: Questions;
  readonly crashPoint: CrashPoints;
}

/** Obeys the buttons of cards. Whoever may press which is for the approvals and questions to say. */
export class Presses {
  readonly #dependencies: PressDependencies;

  constructor(dependencies: PressDependencies) {
    this.#dependencies = dependencies;
  }

  async obey(action: InboundAction, origin: Origin): Promise<Receipt> {
    if (!action.sender.isPerson) return { notice: 'Only a person can decide that.' };
    const notice = await this.#take(action, origin);
    return notice === undefined ? {} : { notice };
  }

  async #take({ actionId, text }: InboundAction, origin: Origin): Promise<string | undefined> {
    const { broker, questions, crashPoint } = this.#dependencies;
    const answer = parseAnswer(actionId);
    if (answer !== undefined) return questions.press(origin, answer.id, answer.index);
    const pressed = parseAction(actionId, text);
    if (pressed === undefined) return 'This button no longer does anything.';
    const notice = await broker.decide(origin, pressed.id, pressed.choice);
    crashPoint('decision-stored');
    return notice;
  }
}
