/** The parts of an outreach summary that tell of touches, of a contact that has none. */
export const NO_TOUCH = {
  firstTouchAt: null,
  lastTouchAt: null,
  daysSinceLastTouch: null,
  lastEventType: null,
  lastPlatform: null,
} as const;
