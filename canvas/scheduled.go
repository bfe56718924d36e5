package canvas

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"samkit.dev/host"
	"samkit.dev/host/console"
	"samkit.dev/internal/appconfig"
	"samkit.dev/internal/workers"
	"samkit.dev/sam"
)

// RunCrons runs the scheduled handler of a project's functions.js once for each
// of the project's cron triggers ("crons" in sam.json, "triggers" in a wrangler
// file) that fall on the minute of at, in UTC, one after the other, as Workers
// do. A project without triggers is left alone.
//
// The handler has no clock: a program that wants triggers to work calls
// RunCrons every minute for each project, once, wherever it runs more than one
// copy of itself. v and project go to the Finder as those of a request do;
// under a handler made by [New], project is not looked at.
//
// A run has the app's Limits. A trigger whose last run for the visitor has not ended is left out, with an
// error, so runs never pile up. The error joins those of the runs that failed,
// which are on the app's console as well; one that matches fs.ErrNotExist says
// that there is no such project.
func (h *Handler) RunCrons(ctx context.Context, v Visitor, project sam.ProjectID, at time.Time) error {
	return h.runScheduled(ctx, v, project, at, func(all []appconfig.Cron) (due []string) {
		for _, c := range all {
			if c.Matches(at) && !slices.Contains(due, c.Text) {
				due = append(due, c.Text)
			}
		}
		return due
	})
}

// RunCron runs the scheduled handler of a project's functions.js now, as the
// given cron trigger would at the given time. That trigger need not be one of
// the project's: it is what a developer tries a handler with. Like those of RunCrons, its runs never overlap.
func (h *Handler) RunCron(ctx context.Context, v Visitor, project sam.ProjectID, cron string, at time.Time) error {
	return h.runScheduled(ctx, v, project, at, func([]appconfig.Cron) []string { return []string{cron} })
}

func (h *Handler) runScheduled(ctx context.Context, who Visitor, project sam.ProjectID, at time.Time, choose func([]appconfig.Cron) []string) error {
	if !h.enter() {
		return errors.New("canvas: the handler is closed")
	}
	defer h.active.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.done, cancel)()
	app, err := h.find(ctx, who, project)
	if err != nil {
		return err
	}
	if app == nil || app.Project == nil {
		return fmt.Errorf("canvas: there is no project %s: %w", project, fs.ErrNotExist)
	}
	if err := checkApp(app); err != nil {
		return err
	}
	if app.Done != nil {
		go func() { // ends with ctx
			select {
			case <-app.Done:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	s := h.siteOf(app)
	defer s.leave()
	gen, err := s.glance(ctx, app.Snapshot)
	if err != nil {
		return err
	}
	if d := gen.config.invalid; d != nil {
		return &BuildError{[]Diagnostic{*d}}
	}
	due := choose(gen.config.Crons)
	if len(due) == 0 {
		return nil
	}
	if gen, err = s.generationAt(ctx, app.Snapshot); err != nil {
		return err
	}
	var errs []error
	for i, free := range s.claim(who, due) {
		var err error = errStillRuns
		if free {
			err = s.runCron(ctx, gen, app, who, due[i], at)
			s.unclaim(who, due[i])
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("canvas: the cron trigger %q of %s: %w", due[i], app.Project.ID(), err))
		}
	}
	return errors.Join(errs...)
}

var errStillRuns = &host.Error{Code: host.Unavailable, Message: "Its last run has not ended, so this one is left out."}

// A cronRun is a run of a trigger that has been begun, or stands in line.
type cronRun struct {
	who  Visitor
	cron string
}

// claim reports which of the triggers that are due may run: those whose last run is over. Otherwise
// handlers that take longer than a minute would pile up.
func (s *site) claim(who Visitor, due []string) (free []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crons == nil {
		s.crons = map[cronRun]bool{}
	}
	free = make([]bool, len(due))
	for i, cron := range due {
		free[i] = !s.crons[cronRun{who, cron}]
		s.crons[cronRun{who, cron}] = true
	}
	return free
}

// glance returns what is prepared of the project, or would be: a program that asks for each of its projects every
// minute keeps none prepared by it.
func (s *site) glance(ctx context.Context, snapshot string) (*generation, error) {
	if snapshot != "" || s.gen.Load() != nil {
		return s.generationAt(ctx, snapshot)
	}
	rev, err := s.project.Revision(ctx)
	if err != nil {
		return nil, err
	}
	return s.newGeneration(ctx, rev)
}

func (s *site) unclaim(who Visitor, cron string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.crons, cronRun{who, cron})
}

// runCron runs the scheduled handler once.
func (s *site) runCron(ctx context.Context, gen *generation, app *App, who Visitor, cron string, at time.Time) error {
	if gen.config.entry == "" {
		return &host.Error{Code: host.NotFound, Message: "This project has no functions.js, so nothing runs on its cron triggers."}
	}
	s.busy.Add(1)
	defer s.busy.Add(-1)
	script, err := s.script(ctx, gen, app)
	if err == nil {
		_, err = s.h.fetch.Fetch(ctx, script, &workers.Request{
			Principal: who.Principal, Scheduled: &workers.Scheduled{Cron: cron, Time: at},
		})
		if err != nil {
			s.recheck(ctx)
		}
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	var we *workers.Error
	errors.As(err, &we)
	text, stack := s.safe(err.Error()), s.safe(stackOf(we))
	if we != nil {
		text = s.safe(we.Code + ": " + we.Message)
	}
	app.consoleOf(s).Add(console.Entry{
		Level: slog.LevelError, Origin: console.Functions, Request: "cron " + clean(cron),
		Text: text, Source: placeRE().FindString(stack), Stack: stack,
	})
	return err
}
