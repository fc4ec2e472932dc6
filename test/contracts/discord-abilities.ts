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
  RepeatingPlatform,
  ThreadedPlatform,
} from './platform.ts';

/** What Discord can do: all but showing by itself a text that grows, and giving a channel another id. */
export type DiscordAbilities = RepeatingPlatform &
  ConfirmingPlatform &
  ThreadedPlatform &
  GrowingPlatform &
  EditingPlatform &
  ForgettingPlatform &
  AttachingPlatform &
  FilingPlatform &
  AnsweringPlatform &
  MarkingPlatform &
  CorrectingPlatform;

/** What is to be set other than it is at first. */
export interface DiscordWishes {
  readonly reactions?: boolean;
}
