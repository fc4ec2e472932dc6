import type {
  AnsweringPlatform,
  AttachingPlatform,
  ConfirmingPlatform,
  CorrectingPlatform,
  CrowdedPlatform,
  EditingPlatform,
  FilingPlatform,
  ForgettingPlatform,
  GrowingPlatform,
  MarkingPlatform,
  MovingPlatform,
  NetworkedPlatform,
  Platform,
  RepeatingPlatform,
  SharingPlatform,
  ThreadedPlatform,
} from './platform.ts';

/** Starts a fake platform. */
export type Open<Kind> = () => Promise<Kind>;

/**
 * How a channel describes its platform: each member opens a platform that can do something. What a platform cannot do is
 * left out, and the tests of it are not registered.
 */
export interface ChannelSetting {
  readonly open: Open<Platform>;
  /** An event that could not be stored comes again by itself. */
  readonly persistent?: Open<Platform>;
  /** Events come in while a run is busy. A pipe waits with the next line instead. */
  readonly interrupting?: Open<Platform>;
  /** Replies are shown while they are written. */
  readonly streaming?: Open<Platform>;
  readonly repeating?: Open<RepeatingPlatform>;
  readonly confirming?: Open<ConfirmingPlatform>;
  /** A press is kept while nobody receives, as messages are. */
  readonly patient?: Open<Platform>;
  readonly editing?: Open<EditingPlatform>;
  readonly crowded?: Open<CrowdedPlatform>;
  readonly threaded?: Open<ThreadedPlatform>;
  readonly networked?: Open<NetworkedPlatform>;
  /** The adapter has no `openStream` there. */
  readonly growing?: Open<GrowingPlatform>;
  /** The adapter promises a heartbeat, which is a few seconds there. */
  readonly beating?: Open<ConfirmingPlatform>;
  readonly attaching?: Open<AttachingPlatform>;
  readonly filing?: Open<FilingPlatform>;
  readonly answering?: Open<AnsweringPlatform>;
  readonly marking?: Open<MarkingPlatform>;
  readonly correcting?: Open<CrowdedPlatform & CorrectingPlatform>;
  /** The adapter has `remove`. */
  readonly removing?: Open<EditingPlatform>;
  readonly sharing?: Open<SharingPlatform>;
  readonly moving?: Open<MovingPlatform>;
  readonly forgetting?: Open<ForgettingPlatform>;
}
