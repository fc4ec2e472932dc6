import type { RoomEntry } from '../../../contract.ts';
import type { ListButton } from '../../../words/command-buttons.ts';

/** One matter of the waiting room: what waits for a person, or what they have allowed. */
export interface WaitingMatter extends Pick<RoomEntry, 'id' | 'markdown'> {
  /** At most two. */
  readonly buttons: readonly ListButton[];
}
