extension StarterText {
  /// `.gitlab-ci.yml`.
  static var gitlabPipeline: String {
    #"""
    # The pin policy: checked and probed in every merge request and scheduled pipeline, built and signed from the default
    # branch: after each push, and in a scheduled pipeline when the newest release must be renewed. Schedule one every day.
    #
    # Needs the CI/CD variables PINTLE_URL and PINTLE_SHA256 (see ci/pins), and, protected and of type File,
    # PINTLE_SIGNING_KEY: anybody who may run the job may sign.
    stages: [check, compare, release]

    workflow:
      rules:
        - if: $CI_PIPELINE_SOURCE == "merge_request_event"
        - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

    .pins:
      image: debian:stable-slim
      timeout: 20 minutes
      before_script:
        - apt-get -qq update
        - apt-get -qq install -y --no-install-recommends ca-certificates curl git >/dev/null
        - ci/pins install

    check:
      extends: .pins
      stage: check
      script:
        - ci/pins check
      artifacts:
        when: always
        paths: [out/]
        reports:
          codequality: out/check.codequality.json
          junit: out/check.junit.xml

    servers:
      extends: .pins
      stage: check
      script:
        - ci/pins probe
      artifacts:
        when: always
        paths: [out/]
        reports:
          junit: out/probe.junit.xml

    compare:
      extends: .pins
      stage: compare
      # Also if a server doesn't satisfy the policy: the record shows which change is safe.
      needs: [servers]
      when: always
      script:
        - ci/pins diff
      artifacts:
        when: always
        paths: [out/]
        reports:
          codequality: out/diff.codequality.json
          junit: out/diff.junit.xml

    release:
      extends: .pins
      stage: release
      # A failed probe doesn't stop the release that repairs it.
      needs: [check, compare]
      rules:
        - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      environment: release
      script:
        - if [ "$CI_PIPELINE_SOURCE" = schedule ] && ! ci/pins due; then exit 0; fi
        - ci/pins build
        - ci/pins sign
        - ci/pins verify
      # Once it is served to clients, commit it to released/, named by its serial, such as released/0007.json: it is the
      # next baseline.
      artifacts:
        paths: [out/manifest.json]

    """#
  }
}
