import type { ChannelHost, InboundEvent } from '../../src/contract.ts';
import type { Dialogue, Heard } from './dialogue.ts';
import type { LocalEvents } from './local.ts';
import type { OpenCard } from './question.ts';
import type { ScreenHandlers, TypedLine } from './screen.ts';

/** Two interrupts within this time, in milliseconds, mean the process and not the run. */
const interruptWindow = 2000;

/** What a person does at the prompt. */
export class Keyboard implements ScreenHandlers {
  readonly #dependencies: { readonly host: ChannelHost; readonly dialogue: Dialogue; readonly events: LocalEvents };
  #interruptedAt: number | undefined;

  constructor(dependencies: { readonly host: ChannelHost; readonly dialogue: Dialogue; readonly events: LocalEvents }) {
    this.#dependencies = dependencies;
  }

  onLine({ text: line, card, hasPaste }: TypedLine): void {
    const { host, dialogue } = this.#dependencies;
    this.#interruptedAt = undefined;
    const text = line.trim();
    if (text === '') return;
    if (text === '/exit' || text === '/quit') host.requestStop();
    // Nobody has typed what was pasted: it answers no question.
    else this.#obey(dialogue.hear(text, hasPaste ? undefined : card));

    // A command may be about the card: whether the card still waits is seen when it is carried out.
    const isAside = card !== undefined && dialogue.isOpen(card) && !text.startsWith('/');
    if (isAside) dialogue.hint('Sent as a message. The question above still waits.');
  }

  onClear(): void {
    this.#interruptedAt = undefined;
  }

  onInterrupt(): void {
    const { host, dialogue, events } = this.#dependencies;
    const now = host.clock.now();
    const isSecond = this.#interruptedAt !== undefined && now - this.#interruptedAt < interruptWindow;
    this.#interruptedAt = now;
    if (isSecond) host.requestStop();
    else {
      dialogue.hint('stopping… (ctrl-c again ends Keyturn)');
      this.#deliver(events.message('/stop'));
    }
  }

  onEnd(): void {
    this.#dependencies.host.requestStop();
  }

  #obey(heard: Heard): void {
    const { dialogue } = this.#dependencies;
    switch (heard.type) {
      case 'message':
        this.#deliver(heard.event);
        break;
      case 'press':
        this.#deliver(heard.event, heard.card);
        break;
      case 'late':
        dialogue.hint('That question was answered in the meantime: nothing was done.');
        break;
    }
  }

  #deliver(event: InboundEvent, card?: OpenCard): void {
    const { host, dialogue } = this.#dependencies;
    dialogue.deliver(event).catch((error: unknown) => {
      host.log.warn({ error, key: event.key }, 'The event could not be stored');
      dialogue.say('That could not be stored, so nothing was done. Press ↑ and Enter to send it again.');
      if (card !== undefined) dialogue.reopen(card);
    });
  }
}
