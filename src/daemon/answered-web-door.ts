import type { AdmittedBrowser, DoorPlaces, Feature, Refused, Visitor, WebDoor } from '../feature-points.ts';
import { daemonWords } from './words.ts';

/** Who is let in at the gateway, as the feature that has it answers. Nobody while there is none. */
export class AnsweredWebDoor implements WebDoor {
  #answering: WebDoor | undefined;

  /** Once all features are made. */
  answeredBy(features: readonly Feature[]): void {
    this.#answering = features.find(({ webDoor }) => webDoor !== undefined)?.webDoor;
  }

  async open(): Promise<DoorPlaces | Refused> {
    return this.#answering?.open() ?? { refusal: (language) => daemonWords[language].noGateway };
  }

  close(): Promise<void> {
    return this.#answering?.close() ?? Promise.resolve();
  }

  hasBrowsers(): boolean {
    return this.#answering?.hasBrowsers() === true;
  }

  admit(...asked: Parameters<WebDoor['admit']>): Promise<AdmittedBrowser | undefined> {
    return this.#answering?.admit(...asked) ?? Promise.resolve(undefined);
  }

  visitorOf(request: Request): Visitor | undefined {
    return this.#answering?.visitorOf(request);
  }

  beginSession(...asked: Parameters<WebDoor['beginSession']>): Promise<boolean> {
    return this.#answering?.beginSession(...asked) ?? Promise.resolve(false);
  }

  sessionsOf(visitor: Visitor): Promise<readonly string[]> {
    return this.#answering?.sessionsOf(visitor) ?? Promise.resolve([]);
  }

  dismiss(visitor: Visitor): Promise<void> {
    return this.#answering?.dismiss(visitor) ?? Promise.resolve();
  }
}
