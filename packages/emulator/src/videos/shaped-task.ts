import type { Services } from "../api/services.js";
import type { VideoTask } from "../tasks/video-task.js";
import { arkTaskBody } from "./ark-task-body.js";
import { bailianTaskBody, newBailianTaskBody } from "./bailian-task-body.js";
import { flatTaskBody } from "./flat-task-body.js";
import { klingTaskBody } from "./kling-task-body.js";
import { newAPITaskBody, newAPIVideoBody } from "./newapi-task-body.js";
import { wrappedTaskBody } from "./wrapped-task-body.js";

/** A task in the shape of a route. */
type Shape = (task: VideoTask, services: Services) => object;

/** Shapes of one route: of what `GET` shows, of what a new task is answered with, and of what callbacks carry. */
export interface TaskShapes {
  shown: Shape;
  created: Shape;
  called: Shape;
}

/** The shape of flat tasks, and that of wrapped ones. */
function byForm(flat: Shape, wrapped: Shape): Shape {
  return (task, services) => (task.family === "content" ? flat : wrapped)(task, services);
}

const idAlone: Shape = ({ id }) => ({ id });

const SPEC: TaskShapes = {
  shown: byForm(flatTaskBody, wrappedTaskBody),
  // The description names `task_id` without saying where: it stands inside the wrapper and above it.
  created: byForm(idAlone, (task, services) => ({ ...wrappedTaskBody(task, services), task_id: task.id })),
  called: byForm(flatTaskBody, wrappedTaskBody),
};

const SHAPES: Record<Services["profile"]["tasks"], TaskShapes> = {
  spec: SPEC,
  ark: {
    shown: byForm(arkTaskBody, wrappedTaskBody),
    created: SPEC.created,
    called: byForm(arkTaskBody, wrappedTaskBody),
  },
  kling: {
    shown: byForm(flatTaskBody, klingTaskBody),
    created: byForm(idAlone, klingTaskBody),
    called: byForm(flatTaskBody, (task, services) => klingTaskBody(task, services).data),
  },
  bailian: { shown: bailianTaskBody, created: newBailianTaskBody, called: bailianTaskBody },
  newapi: {
    shown: byForm(newAPIVideoBody, newAPITaskBody),
    created: newAPIVideoBody,
    called: byForm(newAPIVideoBody, newAPITaskBody),
  },
};

/** The shapes that the profile has. */
export function shapesOf({ profile }: Services): TaskShapes {
  return SHAPES[profile.tasks];
}
