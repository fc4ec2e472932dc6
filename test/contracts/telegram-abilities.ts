import type {
  AnsweringPlatform,
  AttachingPlatform,
  ConfirmingPlatform,
  CorrectingPlatform,
  EditingPlatform,
  FilingPlatform,
  ForgettingPlatform,
  GrowingPlatform,
  MarkingPlatform,
  MovingPlatform,
  RepeatingPlatform,
  ThreadedPlatform,
} from './platform.ts';

/** What Telegram can do, which is everything. */
export type TelegramAbilities = RepeatingPlatform &
  ConfirmingPlatform &
  ThreadedPlatform &
  MovingPlatform &
  GrowingPlatform &
  EditingPlatform &
  ForgettingPlatform &
  AttachingPlatform &
  FilingPlatform &
  AnsweringPlatform &
  MarkingPlatform &
  CorrectingPlatform;

/** What is to be set other than it is at first. */
export interface TelegramWishes {
  readonly drafts?: boolean;
  readonly reactions?: boolean;
  readonly poll_timeout_secs?: number;
  readonly poll_grace_secs?: number;
}
