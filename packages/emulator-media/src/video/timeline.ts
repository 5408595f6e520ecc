/** Which frames of a video are encoded, and which of those packets each frame shows. */
export interface Timeline {
  /** The frames to paint and encode, in order. */
  painted: number[];
  /** Every so many packets there is a key frame; each part of the timeline starts with one. */
  groupOfPictures: number;
  /** The place in {@link painted} of the packet to show at a frame. */
  packetOf(frame: number): number;
}

export interface TimelineRequest {
  /** Frames of the whole video. */
  frames: number;
  /** The picture in the middle repeats after so many frames. */
  loopFrames: number;
  /** Frames at the beginning that are shown once. A whole number of groups, or none. */
  introFrames: number;
  /** Frames at the end that are shown once. */
  outroFrames: number;
  groupOfPictures: number;
}

/**
 * Plans a video of which only a beginning, one loop and an end are encoded, however long it is. Encoding is what
 * takes the time; repeating packets takes none.
 */
export function planTimeline(request: TimelineRequest): Timeline {
  const { frames, loopFrames, introFrames, outroFrames, groupOfPictures } = request;
  const loopEnd = introFrames + loopFrames;
  if (frames <= loopEnd + outroFrames) {
    return { painted: range(0, frames), groupOfPictures, packetOf: (frame) => frame };
  }
  const outroStart = frames - outroFrames;
  return {
    painted: [...range(0, loopEnd), ...range(outroStart, frames)],
    groupOfPictures,
    packetOf: (frame) => {
      if (frame >= outroStart) return loopEnd + frame - outroStart;
      return frame < introFrames ? frame : introFrames + ((frame - introFrames) % loopFrames);
    },
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
