import type {
  AttachingPlatform,
  ConfirmingPlatform,
  CorrectingPlatform,
  EditingPlatform,
  FilingPlatform,
  ForgettingPlatform,
  GrowingPlatform,
  MarkingPlatform,
  RepeatingPlatform,
  ThreadedPlatform,
} from './platform.ts';

/** What Slack can do: all but quoting a message at the top of a direct conversation, and giving a channel another id. */
export type SlackAbilities = RepeatingPlatform &
  ConfirmingPlatform &
  ThreadedPlatform &
  GrowingPlatform &
  EditingPlatform &
  ForgettingPlatform &
  AttachingPlatform &
  FilingPlatform &
  MarkingPlatform &
  CorrectingPlatform;

/** What is to be set other than it is at first. */
export interface SlackWishes {
  readonly reactions?: boolean;
  /** The owner talks in a thread, as in the assistant's pane. */
  readonly inThread?: boolean;
}
