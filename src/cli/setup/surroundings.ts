import type { JsonObject } from '../../lib/json.ts';

/** What a set-up finds around it. */
export interface Surroundings {
  /** Servers that may run here. */
  readonly servers: readonly LocalServer[];
  /** What the settings of a channel have besides, by its name: another server than the platform's own. */
  readonly channels: Readonly<Record<string, JsonObject>>;
}

interface LocalServer {
  readonly name: string;
  /** With its version. */
  readonly baseUrl: string;
}

/** The ports that the programs which serve models take if nobody tells them otherwise. */
export const usualSurroundings: Surroundings = {
  servers: [
    { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
    { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
    { name: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
  ],
  channels: {},
};
