CREATE TABLE instructors (id STRING(36) NOT NULL) PRIMARY KEY (id);
CREATE TABLE students (id STRING(36) NOT NULL) PRIMARY KEY (id);
CREATE TABLE courses (
  course_id STRING(36) NOT NULL, instructor_id STRING(36) NOT NULL,
  FOREIGN KEY (instructor_id) REFERENCES instructors (id)
) PRIMARY KEY (course_id);
CREATE INDEX GetCourseByInstructor ON courses(instructor_id);
CREATE TABLE student_enrolled_courses (
  enrollment_id STRING(36) NOT NULL, student_id STRING(36) NOT NULL, course_id STRING(36) NOT NULL,
  FOREIGN KEY (student_id) REFERENCES students (id), FOREIGN KEY (course_id) REFERENCES courses (course_id)
) PRIMARY KEY (enrollment_id);
CREATE INDEX GetCoursesForStudentID ON student_enrolled_courses(student_id);
CREATE INDEX GetStudentsForEnrolledCourse ON student_enrolled_courses(course_id);
